//===- Parts.cpp - tensors inside of the memory of others -----------------===//
//
// Slices first, then concatenations from the last to the first, so that a
// joined tensor knows its own place before its operands get theirs:
//
//   a = conv x            a is bytes [0, 64) of c, which is bytes [0, 128) of
//   b = conv a            the output y; b is bytes [64, 128) of c, and all
//   c = concat a, b       kernels store to y. d lies behind them.
//   y = concat c, d
//
// In the arena a part has a price: from when the first operand is made the
// memory of all of them is needed. It is paid only while there is room below
// the peak that there would be without parts (LiveBytes.h). Operands that are
// made late cost least; so of those of one concatenation as many are taken,
// from the last made to the first, as fit. What kernels need besides is not
// known yet, and not counted.
//
// In a state that is written over, an operand is made before its concatenation
// is due: all readers of the old value have to come before.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Parts.h"
#include "tally/cpu/LiveBytes.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/StridedMap.h"
#include "tally/rewrite/Remarks.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;
using plan::memory::Interval;
using rewrite::RemarkCode;

namespace {
/// An operand of a concatenation and where it belongs.
struct Operand {
  size_t position;
  Value root;     ///< of its bytes
  int64_t offset; ///< bytes from the result's beginning
};

/// Why a tensor is no part; nothing when it may be one.
using Refusal = std::optional<std::string>;

class Parts {
public:
  Parts(func::FuncOp function, const Layouts &layouts, StorageMap &map);
  void run();

private:
  void cut(Operation *op);
  Refusal refuseCut(Operation *op) const;
  void join(nn::ConcatOp concat);
  void joinInArena(nn::ConcatOp concat, SmallVector<Operand> operands);
  void copy(nn::ConcatOp concat, const Operand &operand,
            const std::string &reason);
  Refusal refuseOperand(nn::ConcatOp concat, const Operand &operand);
  Refusal refuseSecondStore(Operation *op, Storage whole) const;
  Refusal refuseOverOld(Operation *op, Storage whole);
  void joinPlaced(nn::ConcatOp concat, const Operand &operand);
  void joinOthers(nn::ConcatOp concat, ArrayRef<Operand> operands);
  bool storeAgain(ArrayRef<Operand> operands, Storage whole);
  size_t affordable(Value whole, ArrayRef<Value> parts);
  bool isPlaced(Value root) const {
    return map.roots.count(root) || map.parts.count(root);
  }

  func::FuncOp function;
  const Layouts &layouts;
  StorageMap &map;
  llvm::DenseMap<Operation *, int64_t> times;
  llvm::DenseMap<Value, Interval> lives; ///< of owners, with their parts
  LiveBytes live;
  int64_t peak; ///< without parts
};
} // namespace

static int64_t arenaBytes(Value tensor) {
  return llvm::alignTo(storageBytes(tensor), uint64_t(kArenaAlignment));
}

Parts::Parts(func::FuncOp function, const Layouts &layouts, StorageMap &map)
    : function(function), layouts(layouts), map(map),
      times(operationTimes(function)),
      live(static_cast<int64_t>(times.size())) {
  for (Operation &op : function.getBody().front().without_terminator())
    for (Value result : op.getResults()) {
      if (isAlias(&op) || map.roots.count(result))
        continue;
      lives[result] = lifeOf(result, times);
      live.add(lives[result], arenaBytes(result));
    }
  peak = live.most();
}

void Parts::run() {
  auto &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    cut(&op);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (auto concat = dyn_cast<nn::ConcatOp>(op))
      join(concat);
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

static Interval hull(Interval a, Interval b) {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Of tensors that would become parts of `whole`, which is in the arena, one
/// after the other: how many of them, so that the peak does not rise. They are
/// parts from now on.
size_t Parts::affordable(Value whole, ArrayRef<Value> parts) {
  Interval &life = lives[whole];
  SmallVector<Interval> before;
  size_t taken = 0;
  auto change = [&](Interval from, Interval to, Value part, int64_t sign) {
    live.add({to.begin, from.begin}, sign * arenaBytes(whole));
    live.add({from.end, to.end}, sign * arenaBytes(whole));
    live.add(lives[part], -sign * arenaBytes(part));
  };
  for (Value part : parts) {
    before.push_back(life);
    Interval joined = hull(life, lives[part]);
    change(life, joined, part, 1);
    life = joined;
    if (live.most(joined) <= peak)
      taken = before.size();
  }
  while (before.size() > taken) {
    Interval old = before.pop_back_val();
    change(old, life, parts[before.size()], -1);
    life = old;
  }
  return taken;
}

static const char *kCostsMemory =
    "the arena would grow: a part needs the memory of the whole";

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// The element of its operand that a movement's result begins at, when it is a
/// run of elements from there on, in plain order.
static std::optional<int64_t> runOf(Operation *op, const Layouts &layouts) {
  if (!isa<nn::SliceOp, nn::SelectOp, nn::TransposeOp>(op) || isReorder(op) ||
      layouts.of(op->getOperand(0)) != Order::Plain ||
      layouts.ofResult(op) != Order::Plain)
    return std::nullopt;
  nn::StridedMap moved = nn::coalesced(*nn::stridedMap(op));
  if (moved.count() == 0 || moved.dims.size() > 1 || !moved.isAffine())
    return std::nullopt;
  if (moved.dims.empty())
    return moved.base;
  const nn::StridedPiece &piece = moved.dims.front().front();
  return piece.stride == 1 ? std::optional(moved.base + piece.offset)
                           : std::nullopt;
}

static bool isReturned(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           (isAlias(user) && isReturned(user->getResult(0)));
  });
}

Refusal Parts::refuseCut(Operation *op) const {
  Value owner = map.ownerOf(op->getOperand(0));
  Operation *maker = owner.getDefiningOp();
  if (isReturned(op->getResult(0)))
    return "it is an output, which has memory of its own";
  if (isa_and_nonnull<nn::ConstantOp>(maker))
    return "it is cut from a constant";
  auto argument = dyn_cast<BlockArgument>(owner);
  if (argument && map.resultInPlaceOf.count(argument.getArgNumber()))
    return "it is cut from the old value of a state that is written over";
  return std::nullopt;
}

/// Makes the result of `op` a part of its operand, when it is one.
void Parts::cut(Operation *op) {
  auto first = runOf(op, layouts);
  if (!first)
    return;
  Value input = op->getOperand(0), result = op->getResult(0);
  Refusal reason = refuseCut(op);
  bool isInArena = map.of(input).kind == StorageKind::Arena;
  if (!reason && isInArena && !affordable(map.ownerOf(input), result))
    reason = kCostsMemory;
  if (reason) {
    rewrite::remarkAt(op, RemarkCode::SliceCopied)
        << rewrite::edge(input) << rewrite::because("{0}", *reason);
    return;
  }
  auto type = cast<RankedTensorType>(result.getType());
  map.parts[result] = {input,
                       *first * eval::byteSize(nn::describe(type).element)};
  if (!isInArena && lives.count(result))
    live.add(lives[result], -arenaBytes(result));
  rewrite::remarkAt(op, RemarkCode::SliceIsView) << rewrite::edge(input);
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// Whether each operand is one range of the result's memory.
static bool areRanges(nn::ConcatOp concat, const Layouts &layouts) {
  auto info = nn::describe(concat.getType());
  auto axis = static_cast<size_t>(concat.getAxis());
  int64_t stride = stridesIn(layouts.ofResult(concat), info.shape)[axis];
  return info.shape[axis] * stride == info.count();
}

static SmallVector<Operand> operandsOf(nn::ConcatOp concat) {
  SmallVector<Operand> operands;
  int64_t offset = 0;
  for (auto [position, input] : llvm::enumerate(concat.getInputs())) {
    if (storageBytes(input))
      operands.push_back({position, rootOf(input), offset});
    offset += storageBytes(input);
  }
  return operands;
}

/// Whether the memory `whole` is a state's old value that something reads when
/// `op` has begun.
Refusal Parts::refuseOverOld(Operation *op, Storage whole) {
  for (auto [argument, result] : map.resultInPlaceOf) {
    Value old = function.getArgument(argument);
    if (whole.kind == StorageKind::Output && whole.index == result &&
        lifeOf(old, times).end > times.lookup(op))
      return "the old value of the state is read later";
  }
  return std::nullopt;
}

Refusal Parts::refuseSecondStore(Operation *op, Storage whole) const {
  if (whole.kind != StorageKind::Output)
    return "it is stored elsewhere";
  if (!storesAnywhere(op))
    return "it is stored elsewhere, and the kernel of '" + nn::nodeName(op) +
           "' stores to one place only";
  return std::nullopt;
}

Refusal Parts::refuseOperand(nn::ConcatOp concat, const Operand &operand) {
  Value input = concat.getInputs()[operand.position];
  Operation *op = operand.root.getDefiningOp();
  if (getElementTypeOrSelf(input) != getElementTypeOrSelf(concat.getType()))
    return "it is on another grid";
  if (!op)
    return "it is an input";
  if (isa<nn::ConstantOp>(op))
    return "it is a constant";
  Storage whole = map.of(concat);
  if (auto reason = refuseOverOld(op, whole))
    return reason;
  return isPlaced(operand.root) ? refuseSecondStore(op, whole) : std::nullopt;
}

/// An operand that may be a part and needs no memory for it: the whole is not
/// in the arena, or has taken it.
void Parts::joinPlaced(nn::ConcatOp concat, const Operand &operand) {
  Operation *op = operand.root.getDefiningOp();
  if (isPlaced(operand.root)) {
    Storage place = map.of(concat);
    place.offset += operand.offset;
    map.alsoStored[op].push_back(place);
  } else {
    map.parts[operand.root] = {concat, operand.offset};
    if (map.of(concat).kind != StorageKind::Arena)
      live.add(lives.lookup(operand.root), -arenaBytes(operand.root));
  }
  rewrite::remarkAt(concat, RemarkCode::JoinedInPlace)
      << rewrite::edge(concat.getInputs()[operand.position]);
}

/// Whether all operands are stored to `whole`, too; from now on they are.
bool Parts::storeAgain(ArrayRef<Operand> operands, Storage whole) {
  for (const Operand &operand : operands) {
    Operation *op = operand.root.getDefiningOp();
    if (!op || isa<nn::ConstantOp>(op) || !storesAnywhere(op) ||
        refuseOverOld(op, whole))
      return false;
  }
  for (const Operand &operand : operands)
    map.alsoStored[operand.root.getDefiningOp()].push_back(
        {whole.kind, whole.index, whole.offset + operand.offset});
  return true;
}

/// The outputs that are the joined tensor besides, if no operand is copied.
void Parts::joinOthers(nn::ConcatOp concat, ArrayRef<Operand> operands) {
  llvm::erase_if(map.copies, [&](const auto &copy) {
    auto [output, value] = copy;
    return rootOf(value) == concat.getResult() &&
           storeAgain(operands, {StorageKind::Output, output});
  });
}

void Parts::copy(nn::ConcatOp concat, const Operand &operand,
                 const std::string &reason) {
  map.copied[concat].push_back(operand.position);
  rewrite::remarkAt(concat, RemarkCode::JoinCopied)
      << rewrite::edge(concat.getInputs()[operand.position])
      << rewrite::because("{0}", reason);
}

/// Operands that may be parts of a tensor in the arena, each once.
void Parts::joinInArena(nn::ConcatOp concat, SmallVector<Operand> operands) {
  llvm::sort(operands, [&](const Operand &a, const Operand &b) {
    int64_t first = lives.lookup(a.root).begin,
            second = lives.lookup(b.root).begin;
    return first != second ? first > second : a.position < b.position;
  });
  SmallVector<Value> roots;
  for (const Operand &operand : operands)
    roots.push_back(operand.root);
  size_t taken = affordable(map.ownerOf(concat), roots);
  for (auto [i, operand] : llvm::enumerate(operands))
    i < taken ? joinPlaced(concat, operand)
              : copy(concat, operand, kCostsMemory);
}

void Parts::join(nn::ConcatOp concat) {
  if (!areRanges(concat, layouts)) {
    rewrite::remarkAt(concat, RemarkCode::JoinCopied) << rewrite::because(
        "its operands are no ranges of its memory: their pieces alternate");
    return;
  }
  SmallVector<Operand> operands = operandsOf(concat), inArena;
  llvm::SmallDenseSet<Value> seen;
  map.copied[concat];
  for (const Operand &operand : operands) {
    bool isArena = map.of(concat).kind == StorageKind::Arena;
    if (auto reason = refuseOperand(concat, operand))
      copy(concat, operand, *reason);
    else if (!isArena)
      joinPlaced(concat, operand);
    else if (seen.insert(operand.root).second)
      inArena.push_back(operand);
    else
      copy(concat, operand, "it is joined twice");
  }
  joinInArena(concat, std::move(inArena));
  if (map.copied[concat].empty())
    joinOthers(concat, operands);
}

void tally::cpu::placeParts(func::FuncOp function, const Layouts &layouts,
                            StorageMap &map) {
  Parts(function, layouts, map).run();
}
