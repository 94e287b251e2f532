//===- OneHotGather.cpp - many slices, picked by a product ----------------===//
//
// Row i of a table is the product of the table with a row of zeros that has a
// one at i. The bytes of a slice are columns of unsigned weights, whatever
// elements they make up; each sum has at most one term that is not zero, so it
// is that byte, and the output stage passes it on unchanged.
//
// Example: index 2 into four slices of one f32, 1.0 among them: 0 0 1 0 times
// four rows of four bytes is 00 00 80 3f.
//
// Slices come in bands: the vector engine compares the indices, less the
// band's first, with 0, 1, 2, ..., and the products of all bands add up in the
// accumulators. Columns are cut so that these hold the sums of all indices.
//
// Cost, per element of A: indices x slices x bytes of a slice products, and
// the table is read once; the comparisons, indices x slices, are made again for
// each part of the columns. 128 indices into 30,522 slices of 1,536 bytes, on
// an array of 32 x 64: 2.96 million cycles, comparisons and loads beside them.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/lower/Gather.h"
#include "tally/schedule/lower/Views.h"

#include "llvm/Support/MathExtras.h"

#include <array>
#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::Function;
using isa::MatrixField;
using machine::ElementType;

//===----------------------------------------------------------------------===//
// Tensors as bytes
//===----------------------------------------------------------------------===//

/// Rows of neighbouring bytes.
static Tensor bytesAt(const Tensor &tensor, int64_t offset, int64_t rows,
                      int64_t rowStride, int64_t columns) {
  Tensor bytes;
  bytes.storage = tensor.storage;
  bytes.offset = offset;
  bytes.shape = {rows, columns};
  bytes.strides = {rowStride, 1};
  bytes.type = ElementType::U8;
  return bytes;
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

/// Whether dimensions [first, rank) lie row-major without gaps.
static bool isDense(const Tensor &tensor, size_t first) {
  int64_t bytes = tensor.bytes();
  for (size_t d = tensor.shape.size(); d-- > first; bytes *= tensor.shape[d])
    if (tensor.shape[d] != 1 && tensor.strides[d] != bytes)
      return false;
  return true;
}

/// The tensor itself if its dimensions from `first` on are dense, else a copy.
static Tensor madeDense(Steps &v, const Tensor &tensor, size_t first) {
  if (isDense(tensor, first))
    return tensor;
  Tensor dense = v.make(tensor.shape, tensor.type, Tensor(), "dense");
  Work copy;
  return v.apply(copy, tensor, tensor.type, &dense);
}

namespace {
/// A table of slices and where they go, as rows of bytes.
struct Slices {
  Tensor table;  ///< [slices, bytes]
  Tensor result; ///< [indices, bytes]
};
} // namespace

/// One for each index of A.
static std::vector<Slices> slicesOf(const Tensor &data, const Tensor &out,
                                    const Gathering &g) {
  auto axis = size_t(g.axis);
  int64_t bytes =
      product(ArrayRef(data.shape).drop_front(axis + 1)) * data.bytes();
  int64_t count = product(ArrayRef(out.shape).slice(axis, size_t(g.indexRank)));
  std::vector<Slices> all = {
      {bytesAt(data, data.offset, data.shape[axis], bytes, bytes),
       bytesAt(out, out.offset, count, bytes, bytes)}};
  for (size_t d = 0; d < axis; ++d) {
    std::vector<Slices> outer = std::move(all);
    all.clear();
    for (const Slices &slices : outer)
      for (int64_t i = 0; i < data.shape[d]; ++i) {
        all.push_back(slices);
        all.back().table.offset += i * data.strides[d];
        all.back().result.offset += i * out.strides[d];
      }
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static const machine::Engine *matrixEngine(const machine::Machine &machine) {
  auto found = llvm::find_if(machine.engines, [](const auto &engine) {
    return engine.kind == machine::EngineKind::Matrix;
  });
  return found == machine.engines.end() ? nullptr : &*found;
}

namespace {
/// How a product is cut: indices and columns whose sums the accumulators hold,
/// and slices of a band.
struct Cut {
  int64_t indices = 1, columns = 1, slices = 1;
};

/// Emits the products of one piece.
class OneHotProducts {
public:
  OneHotProducts(Scheduler &s, Steps &v, const Tensor &indices, const Cut &cut);
  Status run(const Slices &slices);

private:
  struct Block {
    int64_t first = 0, indices = 0;  ///< of the indices
    int64_t column = 0, columns = 0; ///< of the bytes
  };
  struct Band {
    int64_t first = 0, slices = 0;
    bool isLast = false;
  };
  Status run(const Slices &slices, const Block &block);
  Result<Tensor> weights(const Tensor &table, const Block &block,
                         const Band &band);
  Tensor oneHot(const Tensor &left, const Band &band);
  Status multiply(const Tensor &ones, const Tensor &weights, const Tensor &out,
                  const Band &band, uint32_t queue);
  void setSums(CommandWriter &writer, const Tensor &out, const Band &band);
  Status loadStage();

  Scheduler &s;
  Steps &v;
  Tensor indices; ///< [indices] of i32
  Cut cut;
  Tensor numbers; ///< 0, 1, ... of a band
  std::array<Tensor, 2> ones;
  size_t turn = 0;
  Value sums;
  Value stage;
  int64_t stageBytes = 0;
};
} // namespace

/// 0, 1, ... below `count`, of i32.
static Tensor countingNumbers(Steps &v, int64_t count) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count; ++i)
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(uint8_t(i >> shift));
  return v.constant({count}, ElementType::I32, std::move(bytes));
}

OneHotProducts::OneHotProducts(Scheduler &s, Steps &v, const Tensor &indices,
                               const Cut &cut)
    : s(s), v(v), indices(indices), cut(cut),
      numbers(countingNumbers(v, cut.slices)),
      sums(s.storage(nn::nodeName(s.node) + ".sums",
                     cut.indices * cut.columns * 4,
                     s.machine.accumulators.alignment, isa::kAccumulators)) {
  for (Tensor &rows : ones)
    rows = v.make({cut.indices, cut.slices}, ElementType::U8, Tensor(), "ones");
}

/// The output stage that passes bytes on: the record x * 1 + 0, shifted by 0.
Status OneHotProducts::loadStage() {
  if (stage)
    return Status::success();
  isa::RequantizeBlock identity;
  identity.hi = 255;
  identity.records = {{/*multiplier=*/1}};
  isa::EpilogueBlock block;
  block.stages.push_back(std::move(identity));
  std::vector<uint8_t> bytes = isa::encodeParameters(block);
  stageBytes = int64_t(bytes.size());
  auto loaded =
      s.load(s.constant(nn::nodeName(s.node) + ".stage", std::move(bytes)),
             stageBytes);
  if (!loaded)
    return loaded.takeError();
  stage = *loaded;
  return Status::success();
}

/// A band of the table's columns in SRAM.
Result<Tensor> OneHotProducts::weights(const Tensor &table, const Block &block,
                                       const Band &band) {
  Tensor part = indicesOf(indicesOf(table, 0, band.first, band.slices), 1,
                          block.column, block.columns);
  if (!part.isGlobal())
    return part;
  Tensor local = s.compact(nn::nodeName(s.node) + ".slices", part);
  if (Status status = s.copy(part, local); !status)
    return status.takeError();
  return local;
}

/// A row of bytes for each index: 1 where the band's slice is the one it names.
/// Bands take turns with two places, so that a comparison waits for the product
/// of the band before last.
Tensor OneHotProducts::oneHot(const Tensor &left, const Band &band) {
  Tensor rows = indicesOf(ones[turn], 0, 0, left.shape[0]);
  turn = 1 - turn;
  rows = indicesOf(rows, 1, 0, band.slices);
  return v.integers(
      Function::IntEq,
      {withDimension(left, 1), indicesOf(numbers, 0, 0, band.slices)}, &rows);
}

/// Where sums begin, and where they go.
void OneHotProducts::setSums(CommandWriter &writer, const Tensor &out,
                             const Band &band) {
  writer.place("acc", sums, 0)
      .set(MatrixField::AccStrideW, out.shape[1] * 4)
      .set(MatrixField::Accumulate, band.first > 0)
      .set(MatrixField::Emit, band.isLast);
  if (!band.isLast)
    return;
  writer.place("params", stage, 0).set(MatrixField::ParamsBytes, stageBytes);
  writer.place("out", out.storage, out.offset)
      .set(MatrixField::OutStrideW, out.strides[0])
      .set(MatrixField::OutType, int64_t(ElementType::U8));
}

Status OneHotProducts::multiply(const Tensor &ones, const Tensor &weights,
                                const Tensor &out, const Band &band,
                                uint32_t queue) {
  CommandWriter writer(s, isa::CommandCode::MatrixConv, queue);
  writer.set(MatrixField::OutW, out.shape[0])
      .set(MatrixField::ExtentW, out.shape[0])
      .set(MatrixField::Columns, out.shape[1])
      .set(MatrixField::Channels, band.slices);
  writer.place("in", ones.storage, ones.offset)
      .set(MatrixField::InStrideW, ones.strides[0])
      .set(MatrixField::InType, int64_t(ElementType::U8));
  writer.place("weights", weights.storage, weights.offset)
      .set(MatrixField::WeightsStrideK, weights.strides[0])
      .set(MatrixField::WeightsType, int64_t(ElementType::U8));
  setSums(writer, out, band);
  return writer.issue();
}

/// All bands of one block. `left` is what the indices are above the band's
/// first slice.
Status OneHotProducts::run(const Slices &slices, const Block &block) {
  auto queue = s.queueFor(machine::EngineKind::Matrix);
  if (!queue)
    return queue.takeError();
  Tensor out =
      indicesOf(indicesOf(slices.result, 0, block.first, block.indices), 1,
                block.column, block.columns);
  Work copy;
  Tensor left = v.apply(copy, indicesOf(indices, 0, block.first, block.indices),
                        indices.type);
  int64_t count = slices.table.shape[0];
  for (int64_t first = 0; first < count; first += cut.slices) {
    Band band{first, std::min(cut.slices, count - first),
              first + cut.slices >= count};
    auto rows = weights(slices.table, block, band);
    if (!rows)
      return rows.takeError();
    Status status = multiply(oneHot(left, band), *rows, out, band, *queue);
    if (!status)
      return status;
    if (!band.isLast)
      v.integers(Function::IntSub, {left, v.integer(cut.slices, left.type)},
                 &left);
    ++s.step;
  }
  return Status::success();
}

Status OneHotProducts::run(const Slices &slices) {
  if (Status status = loadStage(); !status)
    return status;
  int64_t count = indices.shape[0], bytes = slices.table.shape[1];
  for (int64_t i = 0; i < count; i += cut.indices)
    for (int64_t n = 0; n < bytes; n += cut.columns) {
      Block block{i, std::min(cut.indices, count - i), n,
                  std::min(cut.columns, bytes - n)};
      if (Status status = run(slices, block); !status)
        return status;
    }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The node
//===----------------------------------------------------------------------===//

/// More columns or slices are not of one command: fields of 16 bits hold them.
static constexpr int64_t kMostOfCommand = 1 << 15;

/// As many indices as the accumulators take with a block of the array's
/// columns, so that the table is read seldom; then as many columns, then as
/// many slices as weights and comparisons have room for.
static Cut cutFor(const Scheduler &s, const machine::MatrixUnit &unit,
                  int64_t indices, const Tensor &table) {
  int64_t bytes = table.shape[1];
  int64_t words = s.machine.accumulators.bytes / 4;
  Cut cut;
  cut.indices = std::clamp<int64_t>(
      words / std::min<int64_t>(bytes, unit.columns), 1, indices);
  int64_t columns = words / cut.indices;
  if (columns > unit.columns)
    columns = llvm::alignDown(columns, unit.columns);
  cut.columns = std::min({columns, bytes, kMostOfCommand});
  int64_t slices =
      std::min({s.choices.weightBytes / cut.columns,
                s.choices.bandBytes / 2 / cut.indices, kMostOfCommand});
  slices = std::max<int64_t>(llvm::alignDown(slices, unit.rows), unit.rows);
  cut.slices = std::min(slices, table.shape[0]);
  return cut;
}

/// The slices that a piece of the result reads from.
static Piece dataPiece(RankedTensorType data, const Gathering &g,
                       const Piece &result) {
  Piece piece = wholeOf(data.getShape());
  std::copy_n(result.begin(), g.axis, piece.begin());
  return piece;
}

static Piece indexPiece(const Gathering &g, const Piece &result) {
  auto first = result.begin() + g.axis;
  return Piece(first, first + g.indexRank);
}

/// The table of the piece in the frame: of a constant, only what it needs has
/// to be in SRAM at a time.
static Result<Tensor> tableOf(Scheduler &s, Steps &v, nn::GatherOp node,
                              const Gathering &g) {
  auto data = s.home(node.getData());
  if (!data)
    return data;
  if (!node.getData().getDefiningOp<nn::ConstantOp>())
    return madeDense(v, *data, size_t(g.axis));
  return sliceOf(*data, dataPiece(node.getData().getType(), g,
                                  s.pieceOf(node.getResult())));
}

/// The indices as one row of i32.
static Tensor flatIndices(Steps &v, const Tensor &indices, int64_t slices) {
  Tensor clamped = v.cast(clampedIndices(v, indices, slices), ElementType::I32);
  Tensor flat = madeDense(v, clamped, 0);
  flat.shape = {flat.count()};
  flat.strides = {flat.bytes()};
  return flat;
}

static Status emitPiece(Scheduler &s, nn::GatherOp node, const Gathering &g,
                        const machine::MatrixUnit &unit,
                        Steps::Numbers &numbers) {
  Steps v(s, numbers);
  auto table = tableOf(s, v, node, g);
  if (!table)
    return table.takeError();
  auto indices = s.value(node.getIndices());
  if (!indices)
    return indices.takeError();
  auto out = s.allocateResult(node.getResult(), Layout::RowMajor);
  if (!out)
    return out.takeError();
  s.bind(node.getResult(), *out);
  Tensor flat = flatIndices(v, *indices, table->shape[size_t(g.axis)]);
  std::vector<Slices> all = slicesOf(*table, *out, g);
  Cut cut = cutFor(s, unit, flat.count(), all[0].table);
  OneHotProducts products(s, v, flat, cut);
  for (const Slices &slices : all)
    if (Status status = products.run(slices); !status)
      return status;
  return v.finish();
}

Result<PiecewiseNode> tally::schedule::prepareOneHotGather(Scheduler &s,
                                                           nn::GatherOp node,
                                                           const Gathering &g) {
  const machine::Engine *engine = matrixEngine(s.machine);
  if (!engine || !engine->takes(ElementType::U8))
    return s.unsupported(
        "indices known only when run, into " +
            std::to_string(node.getData().getType().getDimSize(g.axis)) +
            " slices, and no matrix engine takes u8",
        "name another machine, or compile with --fallback=cpu");
  PiecewiseNode made;
  made.op = node;
  made.layout = Layout::RowMajor;
  // Pieces of A and of the first of I: the rest of a piece is dense.
  for (int64_t d = 0; d < node.getResult().getType().getRank(); ++d)
    if (d > g.axis || (d == g.axis && g.indexRank == 0))
      made.uncut.push_back(d);
  made.reads.push_back({node.getIndices(), [g](const Piece &result) {
                          return indexPiece(g, result);
                        }});
  if (!node.getData().getDefiningOp<nn::ConstantOp>())
    made.reads.push_back({node.getData(), [g, type = node.getData().getType()](
                                              const Piece &result) {
                            return dataPiece(type, g, result);
                          }});
  made.scratch = [g, rows = engine->matrix.rows](const Piece &result) {
    return countOf(indexPiece(g, result)) * (32 + 2 * rows);
  };
  made.emit = [&s, node, g, unit = engine->matrix,
               numbers = std::make_shared<Steps::Numbers>()] {
    return emitPiece(s, node, g, unit, *numbers);
  };
  return made;
}
