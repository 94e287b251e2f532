//===- Write.cpp - a memory problem as lines of text ----------------------===//

#include "tally/plan/memory/Text.h"

using namespace tally;
using namespace tally::plan::memory;

namespace {
class Writer {
public:
  explicit Writer(const MemoryProblem &problem) : problem(problem) {}

  std::string run() {
    limits();
    for (const Region &bank : problem.banks)
      region("bank", bank);
    for (const Region &reserved : problem.reserved)
      region("reserve", reserved);
    for (const std::string &queue : problem.queues)
      text += "queue " + queue + "\n";
    for (const Operation &operation : problem.operations)
      write(operation);
    writeStorages();
    for (auto [a, b] : problem.conflicts)
      text += "conflict " + name(a) + " " + name(b) + "\n";
    for (const InPlace &pair : problem.inPlace)
      write(pair);
    return std::move(text);
  }

private:
  const std::string &name(StorageId id) const {
    return problem.storages[id].name;
  }
  void word(const char *key, int64_t value) {
    text += std::string(" ") + key + " " + std::to_string(value);
  }

  void limits() {
    const Limits &limits = problem.limits;
    size_t before = text.size();
    text += "limits";
    for (auto [key, value] : {std::pair("encodable", limits.encodable),
                              std::pair("capacity", limits.capacity),
                              std::pair("budget", limits.budget)})
      if (value != kUnlimited)
        word(key, value);
    if (limits.granule != 1)
      word("granule", limits.granule);
    if (text.size() == before + 6)
      text.resize(before);
    else
      text += "\n";
  }

  void region(const char *key, const Region &region) {
    text += std::string(key) + " " + region.name + " " +
            std::to_string(region.begin) + " " + std::to_string(region.end) +
            "\n";
  }

  void operations(const char *key, const std::vector<OpId> &list) {
    for (size_t i = 0; i < list.size(); ++i)
      text += (i ? "," : std::string(" ") + key + " ") +
              problem.operations[list[i]].name;
  }

  void write(const Operation &operation) {
    text += "op " + operation.name + " " + problem.queues[operation.queue];
    operations("after", operation.after);
    text += "\n";
  }

  void write(const InPlace &pair) {
    text += "inplace " + name(pair.result) + " " + name(pair.operand);
    if (pair.operation != kNone)
      text += " op " + problem.operations[pair.operation].name;
    text += "\n";
  }

  /// A root stands before its parts, whatever their places in the problem.
  void writeStorages() {
    std::vector<bool> isWritten(problem.storages.size());
    for (StorageId id = 0; id < problem.storages.size(); ++id) {
      std::vector<StorageId> chain;
      for (int64_t one = id; one != kNone && !isWritten[one];
           one = problem.storages[one].root)
        chain.push_back(static_cast<StorageId>(one));
      for (; !chain.empty(); chain.pop_back()) {
        write(problem.storages[chain.back()]);
        isWritten[chain.back()] = true;
      }
    }
  }

  void write(const Storage &storage) {
    if (storage.isPart())
      text += "part " + storage.name + " " +
              name(static_cast<StorageId>(storage.root)) + " " +
              std::to_string(storage.rootOffset);
    else
      text += "storage " + storage.name;
    text += " " + std::to_string(storage.bytes);
    if (storage.alignment != 1)
      word("align", storage.alignment);
    for (size_t i = 0; i < storage.life.size(); ++i)
      text += (i ? "," : " life ") + std::to_string(storage.life[i].begin) +
              "-" + std::to_string(storage.life[i].end);
    operations("ops", storage.accesses);
    if (storage.kind != StorageClass::Transient)
      text += std::string(" class ") + className(storage.kind);
    if (storage.at != kNone)
      word("at", storage.at);
    if (storage.bank != kNone)
      text += " in " + problem.banks[storage.bank].name;
    text += "\n";
  }

  const MemoryProblem &problem;
  std::string text;
};
} // namespace

std::string plan::memory::writeProblem(const MemoryProblem &problem) {
  return Writer(problem).run();
}
