//===- Piecewise.cpp - nodes that run piece by piece ----------------------===//
//
// One loop over pieces of the last result of a chain. Going back through the
// chain, each piece says which piece of every tensor it needs; what lives in
// global memory is loaded into SRAM for the piece, what is in SRAM is used
// where it is. Each piece is a step, so that loads go ahead of it (Order.h).
//
// Example: codes of 128 x 3072 bytes to f32, two functions on floats, and back
// to codes: as whole tensors 1.5 MB of f32 three times. In pieces of 10 rows
// it is 120 KB at a time, and each function writes where it reads.
//
// Cost: commands and compile time grow with the number of pieces, traffic does
// not, except for operands that broadcast along a cut dimension and live in
// global memory: they are loaded again when their piece changes.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Piecewise.h"
#include "tally/graph/Locations.h"
#include "tally/schedule/lower/Views.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Read schedule::broadcastRead(Value value) {
  return {value,
          [shape = ::shapeOf(value)](const Piece &result) {
            return broadcastPiece(shape, result);
          },
          true};
}

bool PiecewiseNode::contains(Operation *other) const {
  return op->isAncestor(other) || llvm::is_contained(body, other);
}

bool PiecewiseNode::isPointwise() const {
  return llvm::all_of(reads, [](const Read &read) { return read.isBroadcast; });
}

bool schedule::isReadOutside(ArrayRef<PiecewiseNode> chain, Value result) {
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    return llvm::none_of(
        chain, [&](const PiecewiseNode &node) { return node.contains(user); });
  });
}

PiecewiseNode schedule::broadcastNode(
    Scheduler &s, Operation *op,
    std::function<Status(ArrayRef<Tensor>, const Tensor &)> body) {
  PiecewiseNode node;
  node.op = op;
  for (Value operand : op->getOperands())
    node.reads.push_back(broadcastRead(operand));
  node.emit = [&s, op, body = std::move(body)] {
    SmallVector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      auto tensor = s.value(operand);
      if (!tensor)
        return Status(tensor.takeError());
      operands.push_back(std::move(*tensor));
    }
    auto result = s.allocateResult(op->getResult(0), Layout::RowMajor);
    if (!result)
      return Status(result.takeError());
    s.bind(op->getResult(0), *result);
    return body(operands, *result);
  };
  return node;
}

/// What each value of a chain is cut to.
using Footprint = llvm::MapVector<Value, Piece>;

/// The smallest box that holds both.
static Piece hullOf(const Piece &a, const Piece &b) {
  Piece hull;
  for (auto [left, right] : llvm::zip_equal(a, b)) {
    int64_t begin = std::min(left.begin, right.begin);
    int64_t end = std::max(left.begin + left.size, right.begin + right.size);
    hull.push_back({begin, end - begin});
  }
  return hull;
}

Footprint schedule::footprintOf(ArrayRef<PiecewiseNode> chain,
                                const Piece &piece) {
  Footprint footprint;
  footprint.insert({chain.back().result(), piece});
  for (const PiecewiseNode &node : llvm::reverse(chain)) {
    Piece result = footprint.lookup(node.result());
    for (const Read &read : node.reads) {
      Piece part = read.piece(result);
      auto [found, isNew] = footprint.insert({read.value, part});
      if (!isNew)
        found->second = hullOf(found->second, part);
    }
  }
  return footprint;
}

namespace {
class PieceLoop {
public:
  PieceLoop(Scheduler &s, ArrayRef<PiecewiseNode> chain, Value inPlace)
      : s(s), chain(chain), last(chain.back().result()), inPlace(inPlace) {}
  Status run();

private:
  Status findOperands();
  Status allocateResults();
  std::optional<Tensor> placeOfOperand() const;
  Layout layoutOf(const PiecewiseNode &node) const;
  bool isInternal(Value value) const;
  bool isLastRead(size_t at, Value value) const;
  int64_t internalBytes(const Footprint &footprint) const;
  int64_t bytesOf(const Piece &piece) const;
  SmallVector<int64_t> cutOrder() const;

  Status runPiece(const Piece &piece);
  Tensor localOf(StringRef name, const Tensor &slice, bool hasChannelsLast);
  bool makesChannelsLast(Value result) const;
  Result<Tensor> bringIn(Value operand, const Piece &piece);
  Status emit(Scheduler::Frame &frame, size_t node) const;
  Status store(const Scheduler::Frame &frame, const Footprint &footprint);

  Scheduler &s;
  ArrayRef<PiecewiseNode> chain;
  Value last, inPlace;
  llvm::MapVector<Value, Tensor> operands, results; ///< at home
  /// The last piece of an operand that was loaded.
  DenseMap<Value, std::pair<Piece, Tensor>> loaded;
};
} // namespace

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

Status PieceLoop::findOperands() {
  DenseSet<Value> made;
  for (const PiecewiseNode &node : chain) {
    s.node = node.op;
    for (const Read &read : node.reads) {
      if (made.contains(read.value) || operands.contains(read.value))
        continue;
      auto home = s.home(read.value);
      if (!home)
        return home.takeError();
      operands.insert({read.value, *home});
    }
    made.insert(node.result());
  }
  return Status::success();
}

Layout PieceLoop::layoutOf(const PiecewiseNode &node) const {
  if (node.layout)
    return *node.layout;
  if (s.channelsLast.contains(node.result()))
    return Layout::ChannelsLast;
  for (const auto &[value, home] : operands)
    if (ArrayRef<int64_t>(home.shape) == ::shapeOf(last))
      return layoutLike(home);
  return Layout::RowMajor;
}

/// The whole storage of the operand that dies, for the last result.
std::optional<Tensor> PieceLoop::placeOfOperand() const {
  auto found = operands.find(inPlace);
  if (found == operands.end() || s.away.contains(last))
    return std::nullopt;
  Tensor tensor = found->second;
  auto storage = tensor.storage.getDefiningOp<npu::StorageOp>();
  if (tensor.isGlobal() || tensor.offset != 0 ||
      int64_t(storage.getBytes()) != tensor.count() * tensor.bytes())
    return std::nullopt;
  tensor.type = *elementTypeOf(last.getType());
  return tensor;
}

Status PieceLoop::allocateResults() {
  for (const PiecewiseNode &node : chain) {
    Value result = node.result();
    if (result != last && !isReadOutside(chain, result))
      continue;
    s.node = node.op;
    bool isPart =
        s.parts.contains(result) && node.op->hasTrait<nn::ElementwiseStage>();
    auto taken = result == last && !isPart ? placeOfOperand() : std::nullopt;
    auto home = taken    ? Result<Tensor>(*taken)
                : isPart ? s.allocateStrided(result, layoutOf(node))
                         : s.allocateResult(result, layoutOf(node));
    if (!home)
      return home.takeError();
    results.insert({result, *home});
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static int64_t elementBytes(Value value) {
  auto type = elementTypeOf(value.getType());
  return type ? machine::elementBytes(*type) : 1;
}

static llvm::SetVector<Value> distinctReads(const PiecewiseNode &node) {
  llvm::SetVector<Value> values;
  for (const Read &read : node.reads)
    values.insert(read.value);
  return values;
}

bool PieceLoop::isInternal(Value value) const {
  return !operands.contains(value) && !results.contains(value);
}

bool PieceLoop::isLastRead(size_t at, Value value) const {
  return llvm::none_of(chain.drop_front(at + 1), [&](const auto &next) {
    return llvm::any_of(
        next.reads, [&](const Read &other) { return other.value == value; });
  });
}

/// What results that only the chain reads take at most: those that are alive at
/// a node, its result in the place of an operand that dies there.
int64_t PieceLoop::internalBytes(const Footprint &footprint) const {
  int64_t most = 0, alive = 0;
  for (auto [at, node] : llvm::enumerate(chain)) {
    auto bytesOf = [&](Value value) {
      return countOf(footprint.lookup(value)) * elementBytes(value);
    };
    int64_t made = isInternal(node.result()) ? bytesOf(node.result()) : 0;
    int64_t dying = 0;
    for (Value operand : distinctReads(node))
      if (isInternal(operand) && isLastRead(at, operand))
        dying += bytesOf(operand);
    bool isInPlace = node.worksInPlace && made != 0 && dying >= made;
    most = std::max(most, alive + (isInPlace ? 0 : made));
    alive += made - dying;
  }
  return most;
}

/// What a piece takes in SRAM beside tensors that are there.
int64_t PieceLoop::bytesOf(const Piece &piece) const {
  Footprint footprint = footprintOf(chain, piece);
  int64_t bytes = internalBytes(footprint);
  for (const auto *homes : {&operands, &results})
    for (const auto &[value, home] : *homes)
      if (home.isGlobal())
        bytes += countOf(footprint.lookup(value)) * home.bytes();
  int64_t scratch = 0;
  for (const PiecewiseNode &node : chain)
    if (node.scratch)
      scratch =
          std::max(scratch, node.scratch(footprint.lookup(node.result())));
  return bytes + scratch;
}

/// Outermost in memory first, without the dimensions that stay whole.
SmallVector<int64_t> PieceLoop::cutOrder() const {
  auto order = memoryOrder(results.lookup(last));
  llvm::erase_if(order, [&](int64_t d) {
    return llvm::any_of(chain, [d](const PiecewiseNode &node) {
      return llvm::is_contained(node.uncut, d);
    });
  });
  return order;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// A new tensor in SRAM for a piece of global memory.
Tensor PieceLoop::localOf(StringRef name, const Tensor &slice,
                          bool hasChannelsLast) {
  Tensor like = slice;
  if (hasChannelsLast && like.rank() >= 3)
    like.strides[1] = 0; // the innermost
  return s.compact(name, like);
}

/// Whether a node makes its result with channels innermost.
bool PieceLoop::makesChannelsLast(Value result) const {
  return llvm::any_of(chain, [&](const PiecewiseNode &node) {
    return node.result() == result && node.layout == Layout::ChannelsLast;
  });
}

Result<Tensor> PieceLoop::bringIn(Value operand, const Piece &piece) {
  Tensor slice = sliceOf(operands.lookup(operand), piece);
  if (!slice.isGlobal())
    return slice;
  auto found = loaded.find(operand);
  if (found != loaded.end() && found->second.first == piece)
    return found->second.second;
  Tensor local = localOf(nn::nodeName(s.node) + ".piece", slice,
                         s.channelsLast.contains(operand));
  if (Status status = s.copy(slice, local); !status)
    return status.takeError();
  loaded[operand] = {piece, local};
  return local;
}

/// Runs one node; a result may take the place of an operand that only the chain
/// reads and no later node does.
Status PieceLoop::emit(Scheduler::Frame &frame, size_t at) const {
  const PiecewiseNode &node = chain[at];
  frame.dying.clear();
  for (Value operand : distinctReads(node))
    if (isInternal(operand) && isLastRead(at, operand))
      frame.dying.push_back(operand);
  s.node = node.op;
  return node.emit();
}

Status PieceLoop::store(const Scheduler::Frame &frame,
                        const Footprint &footprint) {
  for (const auto &[value, home] : results) {
    if (!home.isGlobal())
      continue;
    SmallVector<Tensor> places = {home};
    llvm::append_range(places, s.shared.lookup(value));
    for (const Tensor &place : places)
      if (Status status = s.copy(frame.tensors.lookup(value),
                                 sliceOf(place, footprint.lookup(value)));
          !status)
        return status;
  }
  return Status::success();
}

Status PieceLoop::runPiece(const Piece &piece) {
  Footprint footprint = footprintOf(chain, piece);
  Scheduler::Frame frame;
  for (const auto &[value, part] : footprint)
    frame.pieces[value] = part;
  for (const auto &[value, home] : operands) {
    auto local = bringIn(value, footprint.lookup(value));
    if (!local)
      return local.takeError();
    frame.tensors[value] = *local;
  }
  for (const auto &[value, home] : results) {
    Tensor slice = sliceOf(home, footprint.lookup(value));
    frame.tensors[value] =
        home.isGlobal()
            ? localOf(nn::tensorName(value), slice, makesChannelsLast(value))
            : slice;
  }
  Scheduler::FrameScope scope(s, frame);
  for (size_t at = 0; at < chain.size(); ++at)
    if (Status status = emit(frame, at); !status)
      return status;
  return store(frame, footprint);
}

Status PieceLoop::run() {
  if (Status status = findOperands(); !status)
    return status;
  if (Status status = allocateResults(); !status)
    return status;
  auto shape = ::shapeOf(last);
  auto order = cutOrder();
  auto sizes = pieceSizes(shape, order, s.choices.bandBytes,
                          [&](const Piece &piece) { return bytesOf(piece); });
  bool isCut = ArrayRef<int64_t>(sizes) != shape;
  Status status = forPieces(shape, sizes, order, [&](const Piece &piece) {
    s.step += isCut;
    return runPiece(piece);
  });
  if (!status)
    return status;
  for (const auto &[value, home] : results) {
    s.bind(value, home);
    if (!home.isGlobal())
      s.shared.erase(value);
  }
  return Status::success();
}

Status schedule::runPieces(Scheduler &s, ArrayRef<PiecewiseNode> chain,
                           Value inPlace) {
  return PieceLoop(s, chain, inPlace).run();
}

Status schedule::copyPieces(Scheduler &s, const Tensor &from,
                            const Tensor &to) {
  if (!from.isGlobal() || !to.isGlobal())
    return from.isGlobal() || to.isGlobal() ? s.copy(from, to)
                                            : copyElements(s, from, to);
  auto order = memoryOrder(to);
  auto sizes =
      pieceSizes(to.shape, order, s.choices.bandBytes, [&](const Piece &piece) {
        return countOf(piece) * to.bytes();
      });
  return forPieces(to.shape, sizes, order, [&](const Piece &piece) {
    ++s.step;
    Tensor target = sliceOf(to, piece);
    Tensor local = s.compact(nn::nodeName(s.node) + ".piece", target);
    if (Status status = s.copy(sliceOf(from, piece), local); !status)
      return status;
    return s.copy(local, target);
  });
}
