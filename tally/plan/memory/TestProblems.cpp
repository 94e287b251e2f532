//===- TestProblems.cpp - random small problems ---------------------------===//

#include "tally/plan/memory/TestProblems.h"

#include <algorithm>

using namespace tally;
using namespace tally::plan::memory;

namespace {
class Generator {
public:
  Generator(uint32_t seed, uint32_t most) : random(seed), most(most) {}

  MemoryProblem run() {
    hasAccesses = roll(3) == 0;
    if (roll(4) == 0)
      problem.limits.granule = int64_t(1) << roll(3);
    if (hasAccesses)
      addOperations();
    if (roll(5) == 0)
      addBanks();
    for (uint32_t left = 1 + roll(most); left > 0; --left)
      addStorage();
    if (roll(4) == 0)
      addConflicts();
    if (roll(3) == 0)
      addPairs();
    return std::move(problem);
  }

private:
  /// From 0 to sides - 1.
  uint32_t roll(uint32_t sides) { return random() % sides; }

  void addOperations() {
    uint32_t queues = 1 + roll(3), operations = 3 + roll(5);
    for (uint32_t queue = 0; queue < queues; ++queue)
      problem.queues.push_back("q" + std::to_string(queue));
    for (OpId op = 0; op < operations; ++op) {
      Operation operation{"o" + std::to_string(op), roll(queues), {}};
      for (OpId before = 0; before < op; ++before)
        if (roll(4) == 0)
          operation.after.push_back(before);
      problem.operations.push_back(operation);
    }
  }

  void addBanks() {
    problem.banks = {{"low", 0, 12}, {"high", 12, 40}};
    if (roll(2))
      problem.reserved = {{"vectors", 4, 6 + roll(3)}};
  }

  void addTime(Storage &storage) {
    if (hasAccesses) {
      auto first = static_cast<OpId>(roll(problem.operations.size()));
      storage.accesses = {first};
      for (OpId op = first + 1; op < problem.operations.size(); ++op)
        if (roll(4) == 0)
          storage.accesses.push_back(op);
      return;
    }
    int64_t begin = roll(8), end = begin + roll(6);
    storage.life = {{begin, end}};
    if (roll(6) == 0)
      storage.life.push_back({end + 1, end + 1 + roll(3)});
  }

  void addStorage() {
    Storage storage;
    storage.name = "s" + std::to_string(problem.storages.size());
    storage.bytes = roll(9);
    if (roll(3) == 0)
      storage.alignment = int64_t(1) << roll(4);
    addTime(storage);
    if (roll(12) == 0)
      storage.kind = roll(2) ? StorageClass::Constant : StorageClass::State;
    int64_t alignment = std::max(storage.alignment, problem.limits.granule);
    if (roll(12) == 0)
      storage.at = alignment * roll(4);
    else if (!problem.banks.empty() && roll(2))
      storage.bank = roll(2);
    problem.storages.push_back(storage);
  }

  void addConflicts() {
    auto count = static_cast<uint32_t>(problem.storages.size());
    for (uint32_t left = 1 + roll(3); left > 0; --left)
      if (StorageId a = roll(count), b = roll(count); a != b)
        problem.conflicts.emplace_back(a, b);
  }

  void addPairs() {
    auto count = static_cast<uint32_t>(problem.storages.size());
    for (uint32_t tries = 0; tries < 12 && problem.inPlace.size() < 3;
         ++tries) {
      StorageId result = roll(count), operand = roll(count);
      if (result == operand)
        continue;
      InPlace pair{result, operand, kNone};
      if (hasAccesses)
        pair.operation = problem.storages[result].accesses.front();
      else if (roll(4)) // make them touch
        problem.storages[result].life = {
            {problem.storages[operand].life.back().end - 1,
             problem.storages[operand].life.back().end + roll(4)}};
      problem.inPlace.push_back(pair);
    }
  }

  std::mt19937 random;
  uint32_t most;
  bool hasAccesses = false;
  MemoryProblem problem;
};
} // namespace

MemoryProblem plan::memory::randomProblem(uint32_t seed, uint32_t most) {
  return Generator(seed, most).run();
}

MemoryProblem plan::memory::cutRectangle(uint32_t seed, int64_t steps,
                                         int64_t bytes, uint32_t cuts) {
  struct Piece {
    Interval life, range;
  };
  std::mt19937 random(seed);
  std::vector<Piece> pieces = {{{0, steps}, {0, bytes}}};
  for (uint32_t left = cuts; left > 0; --left) {
    Piece &piece = pieces[random() % pieces.size()];
    Piece rest = piece;
    bool inTime = random() % 2;
    Interval &cut = inTime ? piece.life : piece.range;
    if (cut.end - cut.begin < 2)
      continue;
    int64_t at = cut.begin + 1 + int64_t(random() % (cut.end - cut.begin - 1));
    cut.end = at;
    (inTime ? rest.life : rest.range).begin = at;
    pieces.push_back(rest);
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  MemoryProblem problem;
  for (const Piece &piece : pieces) {
    Storage storage;
    storage.name = "p" + std::to_string(problem.storages.size());
    storage.bytes = piece.range.end - piece.range.begin;
    storage.life = {piece.life};
    problem.storages.push_back(storage);
  }
  return problem;
}
