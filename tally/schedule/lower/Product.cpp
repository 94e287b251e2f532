//===- Product.cpp - products cut to what the machine takes ---------------===//
//
// One command computes a block of pixels and columns, sums and output stage at
// once. A node is cut where the machine asks for it:
//
//   columns  so that weights and parameters of one part fit in a share of SRAM;
//            each part is a step, whose weights are loaded during the step
//            before;
//   rows     so that the partial sums of one block of columns fit in the
//            accumulators when a sum takes several passes of the array.
//
// Example: 56 x 56 pixels of 64 channels by 3 x 3 windows on an array of 32 x
// 64 with 128 KiB of accumulators: 576 terms are 18 passes, so 512 pixels at
// most are one command: 7 commands of 9, ..., 9, 2 rows.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Product.h"
#include "tally/graph/Locations.h"
#include "tally/schedule/lower/Bands.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::MatrixField;

namespace {
/// A part: [first, first + count) of the columns of [group, group + groups).
struct Part {
  int64_t group = 0, groups = 1, first = 0, count = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static int64_t alignTo(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Weights of a part: terms of one group after the other, columns neighbours.
static void appendWeights(const Product &p, const Part &part,
                          std::vector<uint8_t> &bytes) {
  if (p.right)
    return;
  for (int64_t group = part.group; group < part.group + part.groups; ++group)
    for (int64_t term = 0; term < p.terms(); ++term)
      for (int64_t n = part.first; n < part.first + part.count; ++n)
        bytes.push_back(
            uint8_t(eval::loadInt(p.weight, p.weightElement(group, term, n))));
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

static SmallVector<Part> cutColumns(const Scheduler &s, const Product &p) {
  int64_t share = s.choices.weightBytes;
  // Parameters of a channel: two records of 32 bytes and a bias at most.
  int64_t perColumn = p.terms() + 80;
  SmallVector<Part> parts;
  if (p.groups > 1 && perColumn * p.columns <= share) {
    int64_t groups = share / (perColumn * p.columns);
    for (int64_t g = 0; g < p.groups; g += groups)
      parts.push_back({g, std::min(groups, p.groups - g), 0, p.columns});
    return parts;
  }
  const machine::MatrixUnit *unit = nullptr;
  for (const machine::Engine &engine : s.machine.engines)
    if (engine.kind == machine::EngineKind::Matrix)
      unit = &engine.matrix;
  int64_t block = unit ? unit->columns : 1;
  int64_t columns = std::max<int64_t>(share / perColumn / block * block, block);
  for (int64_t g = 0; g < p.groups; ++g)
    for (int64_t n = 0; n < p.columns; n += columns)
      parts.push_back({g, 1, n, std::min(columns, p.columns - n)});
  return parts;
}

namespace {
/// Words of accumulators that a pixel takes as work space; 0: none.
struct WorkSpace {
  int64_t columns = 0;
};
} // namespace

static WorkSpace workSpace(const Product &p, const machine::MatrixUnit &unit,
                           int64_t columns) {
  bool passes = p.depthwise ? p.kernelH * p.kernelW > unit.depthwiseTaps
                            : p.terms() > unit.rows;
  if (!passes)
    return {};
  return {
      std::min(columns, p.depthwise ? unit.depthwiseChannels : unit.columns)};
}

/// `all` in pieces of at most `rows` x `width`.
static SmallVector<Rows> pieces(const Rows &all, int64_t rows, int64_t width) {
  SmallVector<Rows> result;
  for (int64_t y = 0; y < all.rows; y += rows)
    for (int64_t x = 0; x < all.width; x += width)
      result.push_back({all.y + y, std::min(rows, all.rows - y), all.x + x,
                        std::min(width, all.width - x)});
  return result;
}

/// A band in pieces whose partial sums fit in the accumulators.
static SmallVector<Rows> cutRows(const Scheduler &s, const Rows &band,
                                 WorkSpace work) {
  int64_t pixels = work.columns == 0
                       ? band.rows * band.width
                       : s.machine.accumulators.bytes / 4 / work.columns;
  pixels = std::max<int64_t>(pixels, 1);
  int64_t width = std::min(pixels, band.width);
  int64_t rows = std::max<int64_t>(1, std::min(pixels / width, band.rows));
  return pieces(band, width < band.width ? 1 : rows, width);
}

/// Bytes that an output pixel of the part takes of tensors in global memory, on
/// average.
static int64_t bytesPerPixel(const Product &p, const Part &part) {
  int64_t bytes = 0;
  auto add = [&](const Pixels &pixels, int64_t elements) {
    bytes += isAway(pixels) ? elements * pixels.tensor.bytes() : 0;
  };
  int64_t results = part.groups * part.count;
  int64_t channels = p.depthwise ? part.count : part.groups * p.channels;
  add(p.in, p.stepH * llvm::divideCeil(p.inW, p.outW) * channels);
  add(p.out, results);
  if (p.residual)
    add(*p.residual, results);
  return bytes;
}

/// The largest size of equal parts of at most `most` that cover `size`.
static int64_t evenly(int64_t size, int64_t most) {
  return llvm::divideCeil(size, llvm::divideCeil(size, most));
}

/// The output in bands whose tensors in global memory have room in SRAM, twice:
/// one is computed while the next is loaded. Rows together, pixels of a row
/// where one has no room.
static SmallVector<Rows> cutBands(const Scheduler &s, const Product &p,
                                  const Part &part) {
  Rows all{0, p.outH, 0, p.outW};
  int64_t perPixel = bytesPerPixel(p, part);
  if (perPixel == 0)
    return {all};
  int64_t pixels = std::max<int64_t>(1, s.choices.bandBytes / perPixel);
  int64_t width = evenly(p.outW, std::min(pixels, p.outW));
  int64_t rows = evenly(p.outH, std::max<int64_t>(1, pixels / p.outW));
  return pieces(all, rows, width);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static Result<LoadedPart> loadPart(Scheduler &s, const Product &p,
                                   const Part &part, const Epilogue &epilogue) {
  auto block =
      epilogue.block(s, part.group * p.columns + part.first,
                     part.groups > 1 ? part.groups * p.columns : part.count);
  if (!block)
    return block.takeError();
  std::vector<uint8_t> bytes = isa::encodeParameters(*block);
  LoadedPart loaded;
  loaded.parameterBytes = int64_t(bytes.size());
  loaded.weightOffset = alignTo(loaded.parameterBytes, 64);
  bytes.resize(size_t(loaded.weightOffset));
  appendWeights(p, part, bytes);
  int64_t size = int64_t(bytes.size());
  std::string name = nn::nodeName(p.anchor) + ".weights";
  auto storage = s.load(s.constant(name, std::move(bytes)), size);
  if (!storage)
    return storage.takeError();
  loaded.storage = *storage;
  return loaded;
}

/// Fields along one axis: of the input from `first` on, as if it began there.
static void setAxis(CommandWriter &writer, MatrixField before,
                    MatrixField extent, int64_t padding, int64_t first,
                    int64_t step, int64_t size, int64_t &skipped) {
  int64_t origin = first * step - padding;
  skipped = std::clamp<int64_t>(origin, 0, size - 1);
  writer.set(before, skipped - origin).set(extent, size - skipped);
}

static void setPixels(CommandWriter &writer, StringRef prefix,
                      const Pixels &pixels, int64_t offset,
                      MatrixField strideG) {
  writer.place(prefix, pixels.tensor.storage, pixels.tensor.offset + offset);
  writer.set(uint32_t(strideG), pixels.group)
      .set(uint32_t(strideG) + 1, pixels.row)
      .set(uint32_t(strideG) + 2, pixels.column);
}

static void setShape(CommandWriter &writer, const Product &p, const Part &part,
                     const Rows &rows) {
  writer.set(MatrixField::Groups, part.groups)
      .set(MatrixField::OutH, rows.rows)
      .set(MatrixField::OutW, rows.width)
      .set(MatrixField::Columns, part.count)
      .set(MatrixField::Channels, p.channels)
      .set(MatrixField::KernelH, p.kernelH)
      .set(MatrixField::KernelW, p.kernelW)
      .set(MatrixField::StepH, p.stepH)
      .set(MatrixField::StepW, p.stepW)
      .set(MatrixField::DilationH, p.dilationH)
      .set(MatrixField::DilationW, p.dilationW)
      .set(MatrixField::Depthwise, p.depthwise)
      .set(MatrixField::Emit, 1);
}

/// A part's channels in a tensor of pixels that has all of them.
static int64_t channelOffset(const Product &p, const Part &part,
                             int64_t bytes) {
  return (part.group * p.columns + part.first) * bytes;
}

static void setOperands(CommandWriter &writer, const Product &p,
                        const Part &part, const LoadedPart &loaded,
                        int64_t inOffset, int64_t outOffset,
                        int64_t residualOffset, int64_t rightOffset) {
  setPixels(writer, "in", p.in, inOffset, MatrixField::InStrideG);
  writer.set(MatrixField::InType, int64_t(p.in.tensor.type))
      .set(MatrixField::InZero, p.inZero);
  writer.place("params", loaded.storage, 0)
      .set(MatrixField::ParamsBytes, loaded.parameterBytes);
  writer.set(MatrixField::WeightsStrideG, p.terms() * part.count)
      .set(MatrixField::WeightsStrideK, p.right ? p.right->column : part.count)
      .set(MatrixField::WeightsType,
           int64_t(p.weight.quant->qmin < 0 ? machine::ElementType::I8
                                            : machine::ElementType::U8))
      .set(MatrixField::WeightsZero, p.weight.quant->zeroPoint(0));
  if (p.right)
    writer.place("weights", p.right->tensor.storage,
                 p.right->tensor.offset + rightOffset);
  else
    writer.place("weights", loaded.storage, loaded.weightOffset);
  setPixels(writer, "out", p.out, outOffset, MatrixField::OutStrideG);
  writer.set(MatrixField::OutType, int64_t(p.out.tensor.type));
  if (!p.residual)
    return;
  setPixels(writer, "res", *p.residual, residualOffset,
            MatrixField::ResStrideG);
  writer.set(MatrixField::ResType, int64_t(p.residual->tensor.type))
      .set(MatrixField::UsesResidual, 1);
}

static Status emitBlock(Scheduler &s, const Product &p, const Part &part,
                        const LoadedPart &loaded, const Rows &rows,
                        int64_t image, Value work, WorkSpace space,
                        CommandWriter writer) {
  int64_t skippedH = 0, skippedW = 0;
  setShape(writer, p, part, rows);
  setAxis(writer, MatrixField::BeforeH, MatrixField::ExtentH, p.beforeH, rows.y,
          p.stepH, p.inH, skippedH);
  setAxis(writer, MatrixField::BeforeW, MatrixField::ExtentW, p.beforeW, rows.x,
          p.stepW, p.inW, skippedW);
  int64_t firstIn = p.depthwise ? part.first : part.group * p.channels;
  int64_t inOffset = image * p.in.image + skippedH * p.in.row +
                     skippedW * p.in.column + firstIn * p.in.tensor.bytes();
  auto place = [&](const Pixels &pixels) {
    return image * pixels.image + rows.y * pixels.row + rows.x * pixels.column +
           channelOffset(p, part, pixels.tensor.bytes());
  };
  setOperands(writer, p, part, loaded, inOffset, place(p.out),
              p.residual ? place(*p.residual) : 0,
              p.right ? image * p.right->image + part.first : 0);
  if (work) {
    int64_t pixel = space.columns * 4;
    writer.place("acc", work, 0)
        .set(MatrixField::AccStrideH, rows.width * pixel)
        .set(MatrixField::AccStrideW, pixel);
  }
  return writer.issue();
}

namespace {
/// Emits the commands of one part of a product.
class PartEmitter {
public:
  PartEmitter(Scheduler &s, const Product &whole, const Part &part,
              const LoadedPart &loaded)
      : s(s), whole(whole), part(part), loaded(loaded) {}

  Status run(int64_t image, const Rows &band);

private:
  Status bringIn(int64_t image, const Rows &band);
  Status bringRight(int64_t image);
  Status compute(int64_t image, const Rows &band);
  BandPlace outputPlace(int64_t image, const Rows &band) const;

  Scheduler &s;
  const Product &whole;
  const Part &part;
  const LoadedPart &loaded;
  Product local; ///< with bands in the place of what is in global memory
  std::optional<Pixels> right; ///< in SRAM, of image `rightImage`
  int64_t rightImage = 0;
  llvm::DenseMap<uint32_t, Value> workOf;
};
} // namespace

BandPlace PartEmitter::outputPlace(int64_t image, const Rows &band) const {
  return {image, band, part.group * whole.columns + part.first,
          part.groups > 1 ? part.groups * whole.columns : part.count};
}

/// Loads the part's columns of an image's right matrix, unless they are there.
Status PartEmitter::bringRight(int64_t image) {
  if (!right || rightImage != image) {
    BandPlace place{image, {0, 1, 0, whole.channels}, part.first, part.count};
    right = bandOf(s, *whole.right, place);
    rightImage = image;
    if (Status status = loadBand(s, *whole.right, *right, place); !status)
      return status;
  }
  local.right = right;
  return Status::success();
}

/// Loads what the band reads from global memory.
Status PartEmitter::bringIn(int64_t image, const Rows &band) {
  if (isAway(whole.in)) {
    BandPlace place{image, inputRows(whole, band),
                    whole.depthwise ? part.first : part.group * whole.channels,
                    whole.depthwise ? part.count
                                    : part.groups * whole.channels};
    local.in = bandOf(s, whole.in, place);
    if (Status status = loadBand(s, whole.in, local.in, place); !status)
      return status;
  }
  if (whole.right && isAway(*whole.right))
    if (Status status = bringRight(image); !status)
      return status;
  BandPlace output = outputPlace(image, band);
  if (isAway(whole.out))
    local.out = bandOf(s, whole.out, output);
  if (!whole.residual || !isAway(*whole.residual))
    return Status::success();
  local.residual = bandOf(s, *whole.residual, output);
  return loadBand(s, *whole.residual, *local.residual, output);
}

Status PartEmitter::compute(int64_t image, const Rows &band) {
  auto queue = s.queueFor(machine::EngineKind::Matrix);
  if (!queue)
    return queue.takeError();
  const machine::MatrixUnit &unit = s.machine.engineOf(*queue).matrix;
  WorkSpace space = workSpace(whole, unit, part.count);
  auto blocks = cutRows(s, band, space);
  // The commands of one queue follow each other in one work space; the first
  // block of the first band is the largest.
  Value &work = workOf[*queue];
  if (space.columns && !work)
    work = s.storage(nn::nodeName(whole.anchor) + ".sums",
                     blocks[0].rows * blocks[0].width * space.columns * 4,
                     s.machine.accumulators.alignment, isa::kAccumulators);
  for (const Rows &rows : blocks)
    if (Status status =
            emitBlock(s, local, part, loaded, rows, image, work, space,
                      CommandWriter(s, isa::CommandCode::MatrixConv, *queue));
        !status)
      return status;
  return Status::success();
}

Status PartEmitter::run(int64_t image, const Rows &band) {
  local = whole;
  if (Status status = bringIn(image, band); !status)
    return status;
  if (Status status = compute(image, band); !status)
    return status;
  if (!isAway(whole.out))
    return Status::success();
  return storeBand(s, local.out, whole.out, outputPlace(image, band));
}

static Status emitPart(Scheduler &s, const Product &p, const Part &part,
                       const Epilogue &epilogue) {
  auto loaded = loadPart(s, p, part, epilogue);
  if (!loaded)
    return loaded.takeError();
  PartEmitter emitter(s, p, part, *loaded);
  auto bands = cutBands(s, p, part);
  bool isBanded = bytesPerPixel(p, part) > 0 || (p.right && isAway(*p.right));
  for (int64_t image = 0; image < p.images; ++image)
    for (const Rows &band : bands) {
      if (Status status = emitter.run(image, band); !status)
        return status;
      s.step += isBanded && bands.size() * size_t(p.images) > 1;
    }
  return Status::success();
}

Status tally::schedule::emitProduct(Scheduler &s, const Product &p,
                                    const Epilogue &epilogue) {
  for (const Part &part : cutColumns(s, p)) {
    if (Status status = emitPart(s, p, part, epilogue); !status)
      return status;
    ++s.step;
  }
  return Status::success();
}

Status ResidentProduct::emit(Scheduler &s, const Pixels &in, const Pixels &out,
                             const std::optional<Pixels> &residual,
                             int64_t images, const Rows &band) {
  Product local = product;
  local.in = in;
  local.out = out;
  local.residual = residual;
  for (auto [i, part] : llvm::enumerate(cutColumns(s, local))) {
    if (i == loaded.size()) {
      auto weights = loadPart(s, local, part, epilogue);
      if (!weights)
        return weights.takeError();
      loaded.push_back(*weights);
    }
    PartEmitter emitter(s, local, part, loaded[i]);
    for (int64_t image = 0; image < images; ++image)
      if (Status status = emitter.run(image, band); !status)
        return status;
  }
  return Status::success();
}
