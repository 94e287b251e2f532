//===- Storage.cpp - where each tensor of a graph lives -------------------===//

#include "tally/cpu/Storage.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::isAlias(Operation *op) {
  return isa_and_nonnull<nn::ReshapeOp, nn::StorageCastOp>(op);
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

/// Gives each returned tensor its output buffer, or notes a copy.
static void assignOutputs(func::FuncOp function, StorageMap &map) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    Value root = rootOf(value);
    bool isComputed =
        root.getDefiningOp() && !isa<nn::ConstantOp>(root.getDefiningOp());
    if (isComputed && !map.roots.count(root))
      map.roots[root] = {StorageKind::Output, static_cast<int64_t>(i)};
    else
      map.copies.push_back({static_cast<int64_t>(i), value});
  }
}

StorageMap tally::cpu::assignStorage(func::FuncOp function) {
  StorageMap map;
  auto times = operationTimes(function);
  for (BlockArgument argument : function.getArguments())
    map.roots[argument] = {StorageKind::Input, argument.getArgNumber()};
  assignOutputs(function, map);
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
