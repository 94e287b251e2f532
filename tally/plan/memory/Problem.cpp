//===- Problem.cpp - what every planner may rely on -----------------------===//

#include "tally/plan/memory/Problem.h"
#include "tally/plan/memory/Roots.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <string_view>

using namespace tally;
using namespace tally::plan::memory;

static constexpr int64_t kMostAligned = int64_t(1) << 40;
static constexpr int64_t kMostBytes = int64_t(1) << 60;

const char *plan::memory::className(StorageClass kind) {
  constexpr const char *names[] = {"transient", "constant", "state", "caller"};
  return names[static_cast<int>(kind)];
}

int64_t Limits::tightest() const {
  return std::min({encodable, capacity, budget});
}

static Diagnostic broken(std::string rule, std::string message,
                         std::string hint) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

static std::string range(int64_t begin, int64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

//===----------------------------------------------------------------------===//
// MEM-2, MEM-7: numbers
//===----------------------------------------------------------------------===//

static bool isAlignment(int64_t value) {
  return value > 0 && value <= kMostAligned &&
         std::has_single_bit(static_cast<uint64_t>(value));
}

static Status checkLimits(const Limits &limits) {
  if (!isAlignment(limits.granule))
    return broken("MEM-2", "a granule of " + std::to_string(limits.granule),
                  "it is a power of two from 1 to 2^40");
  if (int64_t least = limits.tightest(); least < 0)
    return broken("MEM-2", "a limit of " + std::to_string(least) + " bytes",
                  "leave out a limit that does not exist");
  return Status::success();
}

static Status checkRegions(const std::vector<Region> &regions,
                           const char *what) {
  for (const Region &region : regions)
    if (region.begin < 0 || region.begin >= region.end)
      return broken("MEM-7",
                    std::string(what) + " " + quoted(region.name) + " is " +
                        range(region.begin, region.end),
                    "it begins at 0 or later and ends behind its begin");
  return Status::success();
}

static Status checkNumbers(const Storage &storage) {
  if (storage.bytes < 0)
    return broken("MEM-2",
                  quoted(storage.name) + " has " +
                      std::to_string(storage.bytes) + " bytes",
                  "sizes are from 0 on");
  if (!isAlignment(storage.alignment))
    return broken("MEM-2",
                  "alignment " + std::to_string(storage.alignment) + " of " +
                      quoted(storage.name) + " is no power of two up to 2^40",
                  "1 stands for any address");
  return Status::success();
}

static Status checkNames(const MemoryProblem &problem) {
  // Sorted hashes: a set of a million names would be most of the planning.
  std::vector<std::pair<size_t, StorageId>> hashes;
  hashes.reserve(problem.storages.size());
  for (StorageId id = 0; id < problem.storages.size(); ++id)
    hashes.emplace_back(
        std::hash<std::string_view>()(problem.storages[id].name), id);
  std::sort(hashes.begin(), hashes.end());
  for (size_t i = 0; i < hashes.size(); ++i)
    for (size_t j = i + 1;
         j < hashes.size() && hashes[j].first == hashes[i].first; ++j)
      if (const std::string &name = problem.storages[hashes[i].second].name;
          problem.storages[hashes[j].second].name == name)
        return broken("MEM-2", "two storages have the name " + quoted(name),
                      "give each a name of its own");
  return Status::success();
}

/// Rounded-up sizes and the largest gap in front of each have a sum.
static Status checkTotal(const MemoryProblem &problem) {
  int64_t total = 0;
  auto add = [&](int64_t bytes) {
    total = bytes >= kMostBytes - total ? kMostBytes : total + bytes;
  };
  for (const Storage &storage : problem.storages) {
    add(storage.bytes);
    add(std::max(storage.alignment, problem.limits.granule) - 1);
    if (storage.at != kNone)
      add(storage.at);
  }
  for (const Region &region : problem.reserved)
    add(region.end);
  for (const Region &bank : problem.banks)
    add(bank.end);
  if (total >= kMostBytes)
    return broken("MEM-8", "all bytes together are 2^60 or more",
                  "no memory is so large; a size may be wrong");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// MEM-3: time
//===----------------------------------------------------------------------===//

static Status checkOperations(const MemoryProblem &problem) {
  for (OpId op = 0; op < problem.operations.size(); ++op) {
    const Operation &operation = problem.operations[op];
    if (operation.queue >= problem.queues.size())
      return broken("MEM-3",
                    "operation " + quoted(operation.name) + " is in queue " +
                        std::to_string(operation.queue) + " of " +
                        std::to_string(problem.queues.size()),
                    "list the queue first");
    for (OpId before : operation.after)
      if (before >= op)
        return broken("MEM-3",
                      "operation " + quoted(operation.name) +
                          " comes after one that is not listed before it",
                      "list operations in an order in which they can run");
  }
  return Status::success();
}

static Status checkLife(const MemoryProblem &problem, const Storage &storage) {
  for (const Interval &life : storage.life)
    if (life.begin > life.end)
      return broken("MEM-3",
                    quoted(storage.name) + " dies at " +
                        std::to_string(life.end) + ", before its begin at " +
                        std::to_string(life.begin),
                    "lives are half-open: [begin, end)");
  for (OpId op : storage.accesses)
    if (op >= problem.operations.size())
      return broken("MEM-3",
                    quoted(storage.name) + " is accessed by operation " +
                        std::to_string(op) + " of " +
                        std::to_string(problem.operations.size()),
                    "list the operation first");
  return Status::success();
}

static Status checkTimes(const MemoryProblem &problem) {
  if (Status status = checkOperations(problem); !status)
    return status;
  const Storage *steps = nullptr, *accesses = nullptr;
  for (const Storage &storage : problem.storages) {
    if (Status status = checkLife(problem, storage); !status)
      return status;
    if (!storage.life.empty())
      steps = &storage;
    if (!storage.accesses.empty())
      accesses = &storage;
  }
  if (steps && accesses)
    return broken("MEM-3",
                  quoted(steps->name) + " has a life in steps, " +
                      quoted(accesses->name) + " has accesses",
                  "say in one way when storages are needed");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// MEM-4, MEM-5: parts
//===----------------------------------------------------------------------===//

static Status checkPart(const MemoryProblem &problem, const Storage &part) {
  if (part.root < 0 ||
      static_cast<size_t>(part.root) >= problem.storages.size())
    return broken("MEM-4",
                  quoted(part.name) + " is part of storage " +
                      std::to_string(part.root) + " of " +
                      std::to_string(problem.storages.size()),
                  "list its root");
  const Storage &root = problem.storages[part.root];
  if (part.rootOffset < 0 || part.bytes > root.bytes ||
      part.rootOffset > root.bytes - part.bytes)
    return broken("MEM-4",
                  quoted(part.name) + ", " + std::to_string(part.bytes) +
                      " bytes at " + std::to_string(part.rootOffset) +
                      ", is not inside of " + quoted(root.name) + ", " +
                      std::to_string(root.bytes) + " bytes",
                  "make the root larger");
  if (part.at != kNone || part.bank != kNone ||
      part.kind != StorageClass::Transient)
    return broken("MEM-4",
                  quoted(part.name) + " is part of " + quoted(root.name) +
                      " and has an address, bank or class of its own",
                  "give them to the root");
  return Status::success();
}

static Status checkAlignments(const MemoryProblem &problem,
                              const std::vector<Place> &places) {
  std::vector<Alignment> wishes(problem.storages.size(),
                                {problem.limits.granule, 0});
  std::vector<StorageId> by(problem.storages.size());
  std::iota(by.begin(), by.end(), 0);
  auto add = [&](StorageId id) {
    const Storage &storage = problem.storages[id];
    StorageId root = places[id].root;
    Alignment wish = alignmentAtRoot(storage, places[id]);
    std::optional<Alignment> both = intersect(wishes[root], wish);
    if (!both)
      return broken(
          "MEM-5",
          quoted(storage.name) + ", " + std::to_string(places[id].offset) +
              " bytes into " + quoted(problem.storages[root].name) +
              ", cannot be aligned to " + std::to_string(storage.alignment) +
              " together with " + quoted(problem.storages[by[root]].name),
          "pad what lies before it in the root, or make it a storage "
          "of its own and copy");
    if (both->alignment > wishes[root].alignment)
      by[root] = id;
    wishes[root] = *both;
    const Storage &owner = problem.storages[root];
    if (owner.at != kNone && owner.at % both->alignment != both->residue)
      return broken(
          "MEM-6",
          quoted(owner.name) + " is fixed at " + std::to_string(owner.at) +
              (places[id].root == id ? ", no multiple of "
                                     : ", where " + quoted(storage.name) +
                                           " is not aligned to ") +
              std::to_string(both->alignment),
          "addresses are multiples of alignment and granule");
    return Diagnostic();
  };
  for (bool parts : {false, true})
    for (StorageId id = 0; id < problem.storages.size(); ++id)
      if (problem.storages[id].isPart() == parts &&
          problem.storages[places[id].root].kind != StorageClass::Caller)
        if (Diagnostic failure = add(id); !failure.rule.empty())
          return failure;
  return Status::success();
}

/// Of the caller's bytes only the alignment is known, and it cannot be chosen.
static Status checkCallers(const MemoryProblem &problem,
                           const std::vector<Place> &places) {
  for (StorageId id = 0; id < problem.storages.size(); ++id) {
    const Storage &part = problem.storages[id],
                  &root = problem.storages[places[id].root];
    if (root.kind != StorageClass::Caller || !part.isPart())
      continue;
    if (part.alignment > root.alignment ||
        places[id].offset % part.alignment != 0)
      return broken("MEM-5",
                    quoted(part.name) + ", " +
                        std::to_string(places[id].offset) +
                        " bytes into the caller's " + quoted(root.name) +
                        ", needs alignment " + std::to_string(part.alignment) +
                        ", the caller grants " + std::to_string(root.alignment),
                    "make it a storage of its own and copy it");
  }
  return Status::success();
}

static Status checkParts(const MemoryProblem &problem) {
  for (const Storage &storage : problem.storages)
    if (storage.isPart())
      if (Status status = checkPart(problem, storage); !status)
        return status;
  std::optional<std::vector<Place>> places = findPlaces(problem);
  if (!places)
    return broken("MEM-4", "storages are parts of one another in a circle",
                  "one of them has to be the root");
  if (Status status = checkAlignments(problem, *places); !status)
    return status;
  return checkCallers(problem, *places);
}

//===----------------------------------------------------------------------===//
// MEM-6: addresses
//===----------------------------------------------------------------------===//

static int64_t roundedBytes(const MemoryProblem &problem,
                            const Storage &storage) {
  int64_t granule = problem.limits.granule;
  return (storage.bytes + granule - 1) / granule * granule;
}

static Status checkFixed(const MemoryProblem &problem, const Storage &storage) {
  std::string place = quoted(storage.name) + " is fixed at " +
                      std::to_string(storage.at) + ", ";
  int64_t end = storage.at + roundedBytes(problem, storage);
  if (storage.at < 0)
    return broken("MEM-6", place + "below 0", "addresses begin at 0");
  if (storage.kind == StorageClass::Caller)
    return broken("MEM-6", place + "but is the caller's",
                  "the caller chooses its address");
  for (const Region &region : problem.reserved)
    if (storage.at < region.end && region.begin < end)
      return broken("MEM-6",
                    place + "in reserved " + quoted(region.name) + " " +
                        range(region.begin, region.end),
                    "fix it elsewhere");
  return Status::success();
}

static Status checkBank(const MemoryProblem &problem, const Storage &storage) {
  if (storage.bank < 0 ||
      static_cast<size_t>(storage.bank) >= problem.banks.size())
    return broken("MEM-6", quoted(storage.name) + " is in no bank there is",
                  "list the bank");
  const Region &bank = problem.banks[storage.bank];
  int64_t bytes = roundedBytes(problem, storage);
  bool isOutside = storage.at != kNone &&
                   (storage.at < bank.begin || storage.at > bank.end - bytes);
  if (bytes > bank.end - bank.begin || isOutside)
    return broken("MEM-6",
                  quoted(storage.name) + ", " + std::to_string(bytes) +
                      " bytes, does not lie in bank " + quoted(bank.name) +
                      " " + range(bank.begin, bank.end),
                  "choose another bank");
  return Status::success();
}

static Status checkAddresses(const MemoryProblem &problem) {
  for (const Storage &storage : problem.storages) {
    if (storage.at != kNone)
      if (Status status = checkFixed(problem, storage); !status)
        return status;
    if (storage.bank != kNone)
      if (Status status = checkBank(problem, storage); !status)
        return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// MEM-9: pairs
//===----------------------------------------------------------------------===//

static Status checkPair(const MemoryProblem &problem,
                        const std::vector<Place> &places, StorageId a,
                        StorageId b, const char *what) {
  if (a >= problem.storages.size() || b >= problem.storages.size())
    return broken("MEM-9",
                  std::string(what) + " names a storage that is not "
                                      "there",
                  "list the storage");
  if (places[a].root == places[b].root)
    return broken("MEM-9",
                  std::string(what) + " of " +
                      quoted(problem.storages[a].name) + " and " +
                      quoted(problem.storages[b].name) +
                      ", which have one root",
                  "parts of one root never change place with each other");
  return Status::success();
}

static Status checkPairs(const MemoryProblem &problem) {
  std::vector<Place> places = *findPlaces(problem);
  for (auto [a, b] : problem.conflicts)
    if (Status status = checkPair(problem, places, a, b, "a conflict"); !status)
      return status;
  for (const InPlace &pair : problem.inPlace) {
    if (Status status = checkPair(problem, places, pair.result, pair.operand,
                                  "an in-place pair");
        !status)
      return status;
    if (pair.operation < kNone ||
        pair.operation >= static_cast<int64_t>(problem.operations.size()))
      return broken("MEM-9", "an in-place pair names no operation there is",
                    "list the operation first");
  }
  return Status::success();
}

Status plan::memory::checkProblem(const MemoryProblem &problem) {
  if (Status status = checkLimits(problem.limits); !status)
    return status;
  if (Status status = checkRegions(problem.banks, "bank"); !status)
    return status;
  if (Status status = checkRegions(problem.reserved, "the reserved range");
      !status)
    return status;
  for (const Storage &storage : problem.storages)
    if (Status status = checkNumbers(storage); !status)
      return status;
  for (auto check : {checkNames, checkTotal, checkTimes, checkParts,
                     checkAddresses, checkPairs})
    if (Status status = check(problem); !status)
      return status;
  return Status::success();
}
