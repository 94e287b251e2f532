//===- Storage.cpp - where each tensor of a graph lives -------------------===//

#include "tally/cpu/Storage.h"
#include "tally/cpu/CodeReaders.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/JoinedOutputs.h"
#include "tally/cpu/Layouts.h"
#include "tally/cpu/Parts.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::isAlias(Operation *op) {
  return isa_and_nonnull<nn::ReshapeOp, nn::StorageCastOp>(op) ||
         isReadAsCodes(op);
}

Value tally::cpu::rootOf(Value value) {
  while (isAlias(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

int64_t tally::cpu::storageBytes(Value value) {
  return nn::describe(cast<RankedTensorType>(value.getType())).byteCount();
}

llvm::DenseMap<Operation *, int64_t>
tally::cpu::operationTimes(func::FuncOp function) {
  llvm::DenseMap<Operation *, int64_t> times;
  int64_t time = 0;
  for (Operation &op : function.getBody().front())
    times[&op] = time++;
  return times;
}

size_t StorageMap::addScratch(int64_t bytes, int64_t time,
                              const std::string &name) {
  problem.storages.push_back({.name = name + " (scratch)",
                              .bytes = bytes,
                              .alignment = kArenaAlignment,
                              .life = {{time, time + 1}}});
  return problem.storages.size() - 1;
}

static int64_t lastUse(Value root,
                       const llvm::DenseMap<Operation *, int64_t> &times) {
  int64_t last = times.lookup(root.getDefiningOp());
  for (Operation *user : root.getUsers()) {
    last = std::max(last, times.lookup(user));
    if (isAlias(user))
      last = std::max(last, lastUse(user->getResult(0), times));
  }
  return last;
}

plan::memory::Interval
tally::cpu::lifeOf(Value root,
                   const llvm::DenseMap<Operation *, int64_t> &times) {
  return {times.lookup(root.getDefiningOp()), lastUse(root, times) + 1};
}

std::string tally::cpu::bufferName(Value value) {
  StringRef name = nn::tensorName(value);
  return name.empty() ? nn::nodeName(value.getDefiningOp()) : name.str();
}

bool tally::cpu::storesAnywhere(Operation *op) {
  return op->getNumResults() == 1 &&
         (isa<nn::FusedOp>(op) || canFuse(op) || isReorder(op));
}

static std::optional<nn::StatePlace> placeOfResult(func::FuncOp function,
                                                   unsigned i) {
  auto name =
      function.getResultAttrOfType<FlatSymbolRefAttr>(i, nn::kStateOfValue);
  if (!name)
    return std::nullopt;
  auto module = function->getParentOfType<ModuleOp>();
  return nn::placeOf(module.lookupSymbol<nn::StateOp>(name.getAttr()));
}

/// Whether part of the new value, or all of it, is in the memory of the old.
static bool isWrittenOver(const nn::StatePlace &place) {
  return place.policy == nn::StatePolicy::InPlace ||
         place.policy == nn::StatePolicy::Ring;
}

/// Results in the order in which they get a tensor's storage: a state in place
/// has to, a ring too, and a state is better off than the caller.
static SmallVector<unsigned> byNeed(func::FuncOp function) {
  auto need = [&](unsigned i) {
    auto place = placeOfResult(function, i);
    return !place ? 2 : isWrittenOver(*place) ? 0 : 1;
  };
  auto order = llvm::to_vector(llvm::seq(0u, function.getNumResults()));
  llvm::stable_sort(order,
                    [&](unsigned a, unsigned b) { return need(a) < need(b); });
  return order;
}

/// Gives each returned tensor its output buffer, or notes a second store or a
/// copy.
static void assignOutputs(func::FuncOp function, StorageMap &map) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned i : byNeed(function)) {
    Value value = terminator->getOperand(i), root = rootOf(value);
    Operation *op = root.getDefiningOp();
    bool isComputed = op && !isa<nn::ConstantOp>(op);
    Storage output = {StorageKind::Output, static_cast<int64_t>(i)};
    if (isComputed && !map.roots.count(root))
      map.roots[root] = output;
    else if (isComputed && storesAnywhere(op))
      map.alsoStored[op].push_back(output);
    else
      map.copies.push_back({static_cast<int64_t>(i), value});
  }
}

static void noteInPlace(func::FuncOp function, StorageMap &map) {
  for (unsigned i = nn::ownResults(function); i < function.getNumResults();
       ++i) {
    if (!isWrittenOver(*placeOfResult(function, i)))
      continue;
    Attribute state = function.getResultAttr(i, nn::kStateOfValue);
    for (unsigned a = 0; a < function.getNumArguments(); ++a)
      if (function.getArgAttr(a, nn::kStateOfValue) == state)
        map.resultInPlaceOf[a] = i;
  }
}

Value StorageMap::ownerOf(Value value) const {
  Value root = rootOf(value);
  for (auto part = parts.find(root); part != parts.end();
       part = parts.find(root))
    root = rootOf(part->second.whole);
  return root;
}

Storage StorageMap::of(Value value) const {
  Value root = rootOf(value);
  int64_t offset = 0;
  for (auto part = parts.find(root); part != parts.end();
       part = parts.find(root)) {
    offset += part->second.offset;
    root = rootOf(part->second.whole);
  }
  Storage storage = roots.lookup(root);
  storage.offset += offset;
  return storage;
}

/// Whether the bytes of `op`'s result are where its input has them.
static bool isCut(Operation *op, const StorageMap &map) {
  auto part = op->getNumResults() == 1 ? map.parts.find(op->getResult(0))
                                       : map.parts.end();
  return part != map.parts.end() && !isa<nn::ConcatOp>(op) &&
         part->second.whole == op->getOperand(0);
}

bool StorageMap::needsKernel(Operation *op) const {
  bool isEmpty = llvm::all_of(
      op->getResults(), [](Value result) { return storageBytes(result) == 0; });
  if (isEmpty || isAlias(op) || isa<nn::ConstantOp>(op) || isCut(op, *this))
    return false;
  auto left = copied.find(op);
  return left == copied.end() || !left->second.empty();
}

SmallVector<Storage> StorageMap::destinations(Operation *op) const {
  SmallVector<Storage> list;
  Storage own = op->getNumResults() == 1 ? of(op->getResult(0)) : Storage();
  if (own.kind != StorageKind::Output)
    return list;
  list.push_back(own);
  llvm::append_range(list, alsoStored.lookup(op));
  return list;
}

SmallVector<std::optional<size_t>>
StorageMap::sharedDestinations(Operation *op) const {
  SmallVector<Storage> list = destinations(op);
  SmallVector<std::optional<size_t>> shared;
  for (Value operand : cast<nn::Operator>(op).positionalOperands()) {
    auto &found = shared.emplace_back();
    auto argument =
        dyn_cast_if_present<BlockArgument>(operand ? rootOf(operand) : Value());
    if (!argument || !resultInPlaceOf.count(argument.getArgNumber()))
      continue;
    Storage memory = {StorageKind::Output,
                      resultInPlaceOf.lookup(argument.getArgNumber())};
    auto at = llvm::find(list, memory);
    if (at != list.end())
      found = at - list.begin();
  }
  return shared;
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

namespace {
/// Enters tensors into the memory problem.
class ArenaTensors {
public:
  ArenaTensors(func::FuncOp function, StorageMap &map)
      : times(operationTimes(function)), map(map) {}

  void addRoot(Value root) {
    map.roots[root] = {StorageKind::Arena, add(root, kArenaAlignment)};
  }

  /// Parts need the root's memory as long as they live; in an output, nothing.
  void addPart(Value tensor) {
    Storage place = map.of(tensor);
    if (place.kind != StorageKind::Arena)
      return;
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t index = add(tensor, eval::byteSize(nn::describe(type).element));
    plan::memory::Storage &part = map.problem.storages[index];
    part.root = place.index;
    part.rootOffset = place.offset;
  }

private:
  int64_t add(Value tensor, int64_t alignment) {
    map.problem.storages.push_back({.name = bufferName(tensor),
                                    .bytes = storageBytes(tensor),
                                    .alignment = alignment,
                                    .life = {lifeOf(tensor, times)}});
    return static_cast<int64_t>(map.problem.storages.size()) - 1;
  }

  llvm::DenseMap<Operation *, int64_t> times;
  StorageMap &map;
};
} // namespace

StorageMap tally::cpu::assignStorage(func::FuncOp function,
                                     const Layouts &layouts) {
  StorageMap map;
  for (BlockArgument argument : function.getArguments())
    map.roots[argument] = {StorageKind::Input, argument.getArgNumber()};
  assignOutputs(function, map);
  noteInPlace(function, map);
  for (auto constant : function.getOps<nn::ConstantOp>())
    map.roots[constant] = {StorageKind::Constant, 0};
  placeParts(function, layouts, map);
  tellOutputsApart(function);
  ArenaTensors arena(function, map);
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isAlias(&op))
      for (Value result : op.getResults())
        if (!map.roots.count(result) && !map.parts.count(result))
          arena.addRoot(result);
  for (const auto &[tensor, part] : map.parts)
    arena.addPart(tensor);
  return map;
}
