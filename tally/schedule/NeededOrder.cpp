//===- NeededOrder.cpp - what commands have to wait for -------------------===//
//
// Two reasons. Of the pairs in `after`, those whose commands touch a byte that
// one of them writes. And where a storage has the bytes of one before it, its
// commands come after the last ones of that storage, whatever proved to the
// memory plan that they do.
//
// Who had the bytes before is asked once for each storage, in the order in
// which they come to be used: a map of a memory's bytes to the last owner.
// Owners before that one follow: they are before its commands.
//
// Example: A has bytes [0, 100) and is done at command 3, B takes [0, 50) at
// command 5, C takes [0, 100) at command 9: B waits for 3, C for B's last and,
// because of [50, 100), for 3.
//
// Cost: n log n for n storages, and for a command as many pairs as its storages
// have predecessors and the machine queues.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/NeededOrder.h"
#include "tally/emit/isa/Effects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <map>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
/// The storages that had a storage's bytes right before it.
class Owners {
public:
  /// `storage` takes its bytes; returns who had them.
  SmallVector<npu::StorageOp> take(npu::StorageOp storage);

private:
  struct Owned {
    int64_t end = 0;
    npu::StorageOp storage;
  };
  /// By first byte, disjoint.
  using Memory = std::map<int64_t, Owned>;
  static void splitAt(Memory &memory, int64_t byte);
  std::map<int64_t, Memory> memories; ///< by space
};

class OrderFinder {
public:
  OrderFinder(ArrayRef<npu::CommandOp> commands,
              const machine::Machine &machine);
  std::vector<OrderedPair> run();

private:
  void waitForOwners(int64_t command);
  void keepConflicts(int64_t command);
  bool conflict(int64_t first, int64_t second) const;

  ArrayRef<npu::CommandOp> commands;
  const machine::Machine &machine;
  std::vector<std::vector<isa::Access>> effects; ///< of each command
  /// Commands that use a storage, all of them.
  DenseMap<Operation *, SmallVector<int64_t>> users;
  DenseMap<Operation *, SmallVector<npu::StorageOp>> before;
  std::vector<OrderedPair> pairs;
};
} // namespace

void Owners::splitAt(Memory &memory, int64_t byte) {
  auto next = memory.lower_bound(byte);
  if (next == memory.begin())
    return;
  Owned &owned = std::prev(next)->second;
  if (owned.end <= byte)
    return;
  memory[byte] = owned;
  owned.end = byte;
}

SmallVector<npu::StorageOp> Owners::take(npu::StorageOp storage) {
  // Equal constants share bytes, which nobody writes.
  if (int64_t(storage.getSpace()) == isa::kConstantsRegion)
    return {};
  Memory &memory = memories[int64_t(storage.getSpace())];
  auto begin = int64_t(*storage.getOffset());
  int64_t end = begin + int64_t(storage.getBytes());
  splitAt(memory, begin);
  splitAt(memory, end);
  SmallVector<npu::StorageOp> found;
  auto from = memory.lower_bound(begin), to = memory.lower_bound(end);
  for (auto it = from; it != to; ++it)
    if (!llvm::is_contained(found, it->second.storage))
      found.push_back(it->second.storage);
  memory.erase(from, to);
  memory[begin] = {end, storage};
  return found;
}

OrderFinder::OrderFinder(ArrayRef<npu::CommandOp> commands,
                         const machine::Machine &machine)
    : commands(commands), machine(machine) {
  Owners owners;
  for (auto [i, command] : llvm::enumerate(commands)) {
    effects.push_back(npu::accessesOf(command, machine, /*placed=*/true));
    for (Value value : npu::CommandOp(command).getStorages()) {
      auto storage = value.getDefiningOp<npu::StorageOp>();
      auto &list = users[storage];
      if (list.empty())
        before[storage] = owners.take(storage);
      if (list.empty() || list.back() != int64_t(i))
        list.push_back(int64_t(i));
    }
  }
}

/// The last command of each queue that used an owner before; all commands of
/// queues that complete in any order.
void OrderFinder::waitForOwners(int64_t command) {
  for (Value value : npu::CommandOp(commands[command]).getStorages())
    for (npu::StorageOp owner : before[value.getDefiningOp()]) {
      llvm::SmallSet<uint32_t, 16> seen;
      for (int64_t user : llvm::reverse(users[owner])) {
        auto queue = uint32_t(npu::CommandOp(commands[user]).getQueue());
        if (seen.insert(queue).second || !machine.engineOf(queue).inOrder)
          pairs.push_back({user, command});
      }
    }
}

bool OrderFinder::conflict(int64_t first, int64_t second) const {
  for (const isa::Access &a : effects[first])
    for (const isa::Access &b : effects[second])
      if ((a.kind == isa::AccessKind::Write ||
           b.kind == isa::AccessKind::Write) &&
          isa::overlap(a, b))
        return true;
  return false;
}

void OrderFinder::keepConflicts(int64_t command) {
  auto after = npu::CommandOp(commands[command]).getAfter();
  for (int64_t first : after.value_or(ArrayRef<int64_t>()))
    if (conflict(first, command))
      pairs.push_back({first, command});
}

std::vector<OrderedPair> OrderFinder::run() {
  for (int64_t i = 0; i < int64_t(commands.size()); ++i) {
    keepConflicts(i);
    waitForOwners(i);
  }
  return std::move(pairs);
}

std::vector<OrderedPair>
tally::schedule::neededOrder(ArrayRef<npu::CommandOp> commands,
                             const machine::Machine &machine) {
  return OrderFinder(commands, machine).run();
}
