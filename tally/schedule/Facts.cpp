//===- Facts.cpp - whose bytes the storages of a program are --------------===//

#include "tally/schedule/Facts.h"
#include "tally/graph/Locations.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

std::string tally::schedule::modelNode(Operation *op) {
  std::string name = nn::nodeName(op);
  return name == op->getName().getStringRef() ? "" : name;
}

namespace {
class Collector {
public:
  Collector(ArrayRef<npu::StorageOp> storages, const machine::Machine &machine)
      : machine(machine), facts(storages.size()), views(storages.size()) {
    for (auto [i, op] : llvm::enumerate(storages)) {
      npu::StorageOp storage = op;
      places[storage.getStorage()] = i;
      facts[i].name = storage.getName().str();
      facts[i].node = modelNode(storage);
    }
  }
  void add(npu::CommandOp command, int64_t number);
  std::vector<StorageFacts> take();

private:
  void addUse(npu::CommandOp command, int64_t number, StringRef prefix,
              size_t place);

  const machine::Machine &machine;
  std::vector<StorageFacts> facts;
  std::vector<DenseSet<size_t>> views; ///< hashes of the fields that see it
  DenseMap<Value, size_t> places;
};
} // namespace

static bool isResult(StringRef prefix) {
  return prefix == "dst" || prefix == "acc" || prefix.starts_with("out");
}

/// Equal for operands with equal fields behind the prefix.
static size_t viewOf(npu::CommandOp command, StringRef prefix) {
  llvm::hash_code hash(0);
  for (NamedAttribute field : command.getFields()) {
    StringRef name = field.getName();
    if (name.consume_front(prefix) && name.consume_front("."))
      hash = llvm::hash_combine(hash, name,
                                cast<IntegerAttr>(field.getValue()).getInt());
  }
  return hash;
}

void Collector::addUse(npu::CommandOp command, int64_t number, StringRef prefix,
                       size_t place) {
  StorageFacts &fact = facts[place];
  if (fact.first < 0)
    fact.first = number;
  fact.last = number;
  views[place].insert(viewOf(command, prefix));
  std::string node = modelNode(command);
  if (isResult(prefix)) {
    if (!llvm::is_contained(fact.writers, node))
      fact.writers.push_back(node);
    return;
  }
  fact.lastReader = number;
  fact.lastQueue = machine.queues[command.getQueue()].name;
  fact.lastNode = node;
}

void Collector::add(npu::CommandOp command, int64_t number) {
  for (auto [prefix, storage] :
       llvm::zip(command.getOperands(), command.getStorages()))
    if (auto place = places.find(storage); place != places.end())
      addUse(command, number, cast<StringAttr>(prefix).getValue(),
             place->second);
}

std::vector<StorageFacts> Collector::take() {
  for (auto [fact, seen] : llvm::zip(facts, views))
    fact.views = int64_t(seen.size());
  return std::move(facts);
}

std::vector<StorageFacts>
tally::schedule::factsOf(ArrayRef<npu::StorageOp> storages,
                         ArrayRef<npu::CommandOp> commands,
                         const machine::Machine &machine) {
  Collector collector(storages, machine);
  for (auto [i, command] : llvm::enumerate(commands))
    collector.add(command, int64_t(i));
  return collector.take();
}
