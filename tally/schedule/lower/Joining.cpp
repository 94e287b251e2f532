//===- Joining.cpp - one tensor made of parts of others -------------------===//
//
// The result's storage is cut into boxes. Each is filled by one copy of a view
// of what it comes from, through a block where that is on another grid; parts
// of a concatenation that their producers could write there (Joins.h) are left
// as they are.
//
// Example: 3x4 padded by one on all sides is the middle, two rows of 1x6 above
// and below, and two columns of 3x1 beside it, which repeat one element.
//
// Indices that are picked in equal runs are one view with a dimension more: 0 0
// 1 1 2 2, an upsampling by repetition, is 3 runs of 2.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/schedule/lower/Epilogue.h"
#include "tally/schedule/lower/Lowerings.h"
#include "tally/schedule/lower/Views.h"
#include "tally/schedule/lower/Walk.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static eval::Quantization gridOf(Type element) {
  return nn::gridOf(cast<mlir::quant::QuantizedType>(element));
}

/// Elements of `from` through `work`, wherever the two lie.
static Status convertPieces(Scheduler &s, Work &work, const Tensor &from,
                            const Tensor &to) {
  if (!from.isGlobal() && !to.isGlobal())
    return walk(s, work, {&from, &to});
  auto order = memoryOrder(to);
  auto sizes =
      pieceSizes(to.shape, order, s.choices.bandBytes, [&](const Piece &piece) {
        return countOf(piece) * (from.bytes() + to.bytes());
      });
  std::string name = nn::nodeName(s.node) + ".piece";
  return forPieces(to.shape, sizes, order, [&](const Piece &piece) {
    ++s.step;
    Tensor source = sliceOf(from, piece), target = sliceOf(to, piece);
    Tensor in = from.isGlobal() ? s.compact(name, source) : source;
    Tensor out = to.isGlobal() ? s.compact(name, target) : target;
    if (from.isGlobal())
      if (Status status = s.copy(source, in); !status)
        return status;
    if (Status status = walk(s, work, {&in, &out}); !status)
      return status;
    return to.isGlobal() ? s.copy(out, target) : Status::success();
  });
}

/// Fills `to`, a part of a result of element type `toType`.
static Status fill(Scheduler &s, const Tensor &from, Type fromType,
                   const Tensor &to, Type toType) {
  if (to.count() == 0)
    return Status::success();
  if (fromType == toType || !llvm::isa<mlir::quant::QuantizedType>(toType))
    return copyPieces(s, from, to);
  auto block = unitRequantize(s, gridOf(fromType), gridOf(toType));
  if (!block)
    return block.takeError();
  Work work;
  work.code = isa::CommandCode::VectorBlock;
  work.parameters = tally::quant::encodeBlock(*block);
  return convertPieces(s, work, from, to);
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

static bool isSame(const Tensor &a, const Tensor &b) {
  return a.storage == b.storage && a.offset == b.offset &&
         a.strides == b.strides;
}

static Status lowerConcat(Scheduler &s, Operation *op) {
  auto concat = cast<nn::ConcatOp>(op);
  RankedTensorType type = typeOf(concat.getOutput());
  SmallVector<Tensor> parts;
  SmallVector<Type> types;
  for (Value input : concat.getInputs()) {
    if (typeOf(input).getNumElements() == 0)
      continue;
    auto part = s.home(input);
    if (!part)
      return part.takeError();
    parts.push_back(std::move(*part));
    types.push_back(typeOf(input).getElementType());
  }
  if (parts.empty())
    return s.unsupported("a tensor without elements");
  auto result = s.allocateJoined(concat.getOutput(), layoutLike(parts.front()));
  if (!result)
    return result.takeError();
  int64_t first = 0;
  for (auto [part, element] : llvm::zip(parts, types)) {
    int64_t count = part.shape[concat.getAxis()];
    Tensor place = indicesOf(*result, concat.getAxis(), first, count);
    first += count;
    if (isSame(part, place))
      continue; // written there
    if (Status status = fill(s, part, element, place, type.getElementType());
        !status)
      return status;
  }
  s.bind(concat.getOutput(), *result);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// A constant of one element of `type`'s storage that holds `code`.
static Result<Tensor> oneElement(Scheduler &s, RankedTensorType type,
                                 int64_t code) {
  auto element = elementTypeOf(type);
  if (!element)
    return s.unsupported("tensors of this element type");
  std::vector<uint8_t> bytes(size_t(machine::elementBytes(*element)));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(code >> (8 * i));
  int64_t count = int64_t(bytes.size());
  auto storage = s.load(
      s.constant(nn::nodeName(s.node) + ".border", std::move(bytes)), count);
  if (!storage)
    return storage.takeError();
  return s.rowMajor(*storage, RankedTensorType::get({}, type.getElementType()));
}

/// What new elements hold, with its element type.
static Result<std::pair<Tensor, Type>> borderOf(Scheduler &s, nn::PadOp pad) {
  RankedTensorType type = typeOf(pad.getOutput());
  Type element = type.getElementType();
  bool isCode = llvm::isa<mlir::quant::QuantizedType>(element);
  Value value = pad.getValue();
  bool isReal = value && !llvm::isa<mlir::quant::QuantizedType>(
                             typeOf(value).getElementType());
  auto paired = [](Result<Tensor> tensor,
                   Type of) -> Result<std::pair<Tensor, Type>> {
    if (!tensor)
      return tensor.takeError();
    return std::pair(std::move(*tensor), of);
  };
  if (value && isReal != isCode)
    return paired(s.home(value), typeOf(value).getElementType());
  if (!value)
    return paired(oneElement(s, type, isCode ? gridOf(element).zeroPoint() : 0),
                  element);
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant)
    return s.unsupported("a real pad value computed at run time");
  auto real = static_cast<float>(
      eval::loadFloat(nn::hostTensor(constant.getValue(), typeOf(value)), 0));
  return paired(oneElement(s, type, nn::codeOfReal(real, gridOf(element))),
                element);
}

/// `tensor`'s one element as a view of `shape`.
static Tensor repeated(Tensor tensor, ArrayRef<int64_t> shape) {
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.strides.assign(shape.size(), 0);
  return tensor;
}

/// The border around `inside`, whose dimension d begins at before[d] of the
/// result: slabs that are whole along later dimensions, and as wide as the
/// inside along earlier ones.
static Status fillBorder(Scheduler &s, const Tensor &result, Type type,
                         ArrayRef<int64_t> first, ArrayRef<int64_t> inside,
                         const std::pair<Tensor, Type> &border) {
  Tensor rest = result;
  auto put = [&](const Tensor &slab) {
    return fill(s, repeated(border.first, slab.shape), border.second, slab,
                type);
  };
  for (size_t d = 0; d < inside.size(); ++d) {
    int64_t end = first[d] + inside[d];
    if (Status status = put(indicesOf(rest, d, 0, first[d])); !status)
      return status;
    if (Status status = put(indicesOf(rest, d, end, result.shape[d] - end));
        !status)
      return status;
    rest = indicesOf(std::move(rest), d, first[d], inside[d]);
  }
  return Status::success();
}

static Status lowerPad(Scheduler &s, Operation *op) {
  auto pad = cast<nn::PadOp>(op);
  RankedTensorType in = typeOf(pad.getInput()), out = typeOf(pad.getOutput());
  auto border = borderOf(s, pad);
  if (!border)
    return border.takeError();
  bool isEmpty = in.getNumElements() == 0;
  auto input = isEmpty ? Result<Tensor>(Tensor()) : s.home(pad.getInput());
  if (!input)
    return input.takeError();
  auto result = s.allocateResult(pad.getOutput(), isEmpty ? Layout::RowMajor
                                                          : layoutLike(*input));
  if (!result)
    return result.takeError();
  Tensor from = *input, to = *result;
  SmallVector<int64_t> first, inside;
  for (size_t d = 0; d < to.shape.size(); ++d) {
    int64_t before = pad.getBefore()[d], after = pad.getAfter()[d];
    int64_t kept = in.getShape()[d] + std::min<int64_t>(before, 0) +
                   std::min<int64_t>(after, 0);
    first.push_back(std::clamp<int64_t>(before, 0, to.shape[d]));
    inside.push_back(std::clamp<int64_t>(kept, 0, to.shape[d] - first[d]));
    to = indicesOf(std::move(to), d, first[d], inside[d]);
    if (!isEmpty)
      from = indicesOf(std::move(from), d, std::max<int64_t>(-before, 0),
                       inside[d]);
  }
  Type type = out.getElementType();
  if (Status status = fillBorder(s, *result, type, first, inside, *border);
      !status)
    return status;
  if (Status status = fill(s, from, in.getElementType(), to, type); !status)
    return status;
  s.bind(pad.getOutput(), *result);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

namespace {
/// first + r distance + i step, for r < runs and i < count.
struct Runs {
  int64_t first = 0, runs = 1, distance = 0, count = 1, step = 0;
};
} // namespace

/// Segments of (first, count, step) as few runs.
static SmallVector<Runs> runsOf(ArrayRef<int64_t> segments) {
  SmallVector<Runs> all;
  for (size_t i = 0; i < segments.size(); i += 3) {
    int64_t first = segments[i], count = segments[i + 1];
    int64_t step = count == 1 ? 0 : segments[i + 2];
    if (!all.empty() && all.back().count == count && all.back().step == step) {
      Runs &last = all.back();
      int64_t distance = first - last.first;
      if (last.runs == 1)
        last.distance = distance;
      if (distance == last.runs * last.distance) {
        ++last.runs;
        continue;
      }
    }
    all.push_back({first, 1, 0, count, step});
  }
  return all;
}

/// Dimension `d` in two: `outer` times what it is, `distance` indices apart.
static Tensor inRuns(Tensor tensor, size_t d, int64_t outer, int64_t distance,
                     int64_t count, int64_t step) {
  int64_t stride = tensor.strides[d];
  tensor.shape[d] = count;
  tensor.strides[d] = step * stride;
  tensor.shape.insert(tensor.shape.begin() + d, outer);
  tensor.strides.insert(tensor.strides.begin() + d, distance * stride);
  return tensor;
}

namespace {
/// Copies all combinations of runs, the last picked dimension first so that
/// the numbers of those before stay the same.
class Picker {
public:
  Picker(Scheduler &s, nn::SelectOp op) : s(s), axes(op.getAxes()) {
    for (Attribute list : op.getSegments())
      runs.push_back(runsOf(cast<DenseI64ArrayAttr>(list).asArrayRef()));
  }
  /// Along the first `count` of the axes.
  Status pick(const Tensor &from, const Tensor &to, size_t count) const;
  Status pick(const Tensor &from, const Tensor &to) const {
    return pick(from, to, runs.size());
  }

private:
  Scheduler &s;
  ArrayRef<int64_t> axes;
  SmallVector<SmallVector<Runs>> runs; ///< of each axis
};
} // namespace

Status Picker::pick(const Tensor &from, const Tensor &to, size_t count) const {
  if (count == 0)
    return copyPieces(s, from, to);
  auto d = size_t(axes[count - 1]);
  int64_t done = 0;
  for (const Runs &run : runs[count - 1]) {
    int64_t picked = run.runs * run.count;
    Tensor source = inRuns(indicesOf(from, d, run.first, 1), d, run.runs,
                           run.distance, run.count, run.step);
    Tensor place = inRuns(indicesOf(to, d, done, picked), d, run.runs,
                          run.count, run.count, 1);
    if (Status status = pick(source, place, count - 1); !status)
      return status;
    done += picked;
  }
  return Status::success();
}

static Status lowerSelect(Scheduler &s, Operation *op) {
  auto select = cast<nn::SelectOp>(op);
  auto input = s.home(select.getInput());
  if (!input)
    return input.takeError();
  auto result = s.allocateResult(select.getOutput(), layoutLike(*input));
  if (!result)
    return result.takeError();
  if (Status status = Picker(s, select).pick(*input, *result); !status)
    return status;
  s.bind(select.getOutput(), *result);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// ReverseSequence
//===----------------------------------------------------------------------===//

static Status lowerReverseSequence(Scheduler &s, Operation *op) {
  auto reverse = cast<nn::ReverseSequenceOp>(op);
  auto input = s.home(reverse.getInput());
  if (!input)
    return input.takeError();
  RankedTensorType type = typeOf(reverse.getOutput());
  auto result = s.allocateResult(reverse.getOutput(), layoutLike(*input));
  if (!result)
    return result.takeError();
  auto time = size_t(reverse.getTimeAxis());
  Type element = type.getElementType();
  for (auto [b, length] : llvm::enumerate(reverse.getLengths())) {
    auto batch = size_t(reverse.getBatchAxis());
    Tensor from = indicesOf(*input, batch, int64_t(b), 1);
    Tensor to = indicesOf(*result, batch, int64_t(b), 1);
    int64_t rest = to.shape[time] - length;
    if (Status status = fill(s, indicesOf(from, time, length - 1, length, -1),
                             element, indicesOf(to, time, 0, length), element);
        !status)
      return status;
    if (Status status = fill(s, indicesOf(from, time, length, rest), element,
                             indicesOf(to, time, length, rest), element);
        !status)
      return status;
  }
  s.bind(reverse.getOutput(), *result);
  return Status::success();
}

llvm::ArrayRef<LoweringRow> tally::schedule::joiningLowerings() {
  static const LoweringRow rows[] = {
      {"nn.concat", lowerConcat, Reach::Pieces},
      {"nn.pad", lowerPad, Reach::Pieces},
      {"nn.reverse_sequence", lowerReverseSequence, Reach::Pieces},
      {"nn.select", lowerSelect, Reach::Pieces},
  };
  return rows;
}
