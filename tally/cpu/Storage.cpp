//===- Storage.cpp - where each tensor of a graph lives -------------------===//

#include "tally/cpu/Storage.h"
#include "tally/cpu/CodeReaders.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/Layouts.h"
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

/// The last step that reads the bytes of `root`, through any view.
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

static std::string bufferName(Value value) {
  StringRef name = nn::tensorName(value);
  return name.empty() ? nn::nodeName(value.getDefiningOp()) : name.str();
}

/// Whether the kernel of `op` stores each element of its only result at one
/// place of its code, where it can store it several times.
static bool storesAnywhere(Operation *op) {
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
    if (isComputed && !map.roots.count(root))
      map.roots[root] = {StorageKind::Output, static_cast<int64_t>(i)};
    else if (isComputed && storesAnywhere(op))
      map.alsoStored[op].push_back(i);
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

SmallVector<int64_t> StorageMap::destinations(Operation *op) const {
  SmallVector<int64_t> list;
  Storage own = op->getNumResults() == 1 ? of(op->getResult(0)) : Storage();
  if (own.kind != StorageKind::Output)
    return list;
  list.push_back(own.index);
  llvm::append_range(list, alsoStored.lookup(op));
  return list;
}

SmallVector<std::optional<size_t>>
StorageMap::sharedDestinations(Operation *op) const {
  SmallVector<int64_t> list = destinations(op);
  SmallVector<std::optional<size_t>> shared;
  for (Value operand : cast<nn::Operator>(op).positionalOperands()) {
    auto &found = shared.emplace_back();
    auto argument =
        dyn_cast_if_present<BlockArgument>(operand ? rootOf(operand) : Value());
    if (!argument || !resultInPlaceOf.count(argument.getArgNumber()))
      continue;
    auto at = llvm::find(list, resultInPlaceOf.lookup(argument.getArgNumber()));
    if (at != list.end())
      found = at - list.begin();
  }
  return shared;
}

StorageMap tally::cpu::assignStorage(func::FuncOp function) {
  StorageMap map;
  auto times = operationTimes(function);
  for (BlockArgument argument : function.getArguments())
    map.roots[argument] = {StorageKind::Input, argument.getArgNumber()};
  assignOutputs(function, map);
  noteInPlace(function, map);
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isAlias(&op))
      continue;
    for (Value result : op.getResults()) {
      if (isa<nn::ConstantOp>(op)) {
        map.roots[result] = {StorageKind::Constant, 0};
        continue;
      }
      if (map.roots.count(result))
        continue;
      auto index = static_cast<int64_t>(map.problem.storages.size());
      map.problem.storages.push_back(
          {.name = bufferName(result),
           .bytes = storageBytes(result),
           .alignment = kArenaAlignment,
           .life = {{times[&op], lastUse(result, times) + 1}}});
      map.roots[result] = {StorageKind::Arena, index};
    }
  }
  return map;
}
