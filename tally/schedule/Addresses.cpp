//===- Addresses.cpp - where the storages of a program lie ----------------===//
//
// Accumulators and SRAM end where the machine's do, the arena where the budget
// does once constants, inputs and outputs are taken off.
//
// Example: of a budget of 100 KiB, with constants of 60,000 bytes and buffers
// of 1,000 and 10, all in multiples of 64, 102,400 - 60,032 - 1,024 - 64 =
// 41,280 bytes are left for the arena.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Addresses.h"
#include "tally/schedule/Facts.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
namespace memory = tally::plan::memory;

const char *tally::schedule::limitName(Limit limit) {
  constexpr const char *names[] = {"window", "live", "budget", "extent"};
  return names[size_t(limit)];
}

static int64_t alignTo(int64_t bytes, int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

int64_t GlobalUse::bytes(int64_t region) const {
  for (const RegionUse &use : regions)
    if (use.region == region)
      return use.bytes;
  return 0;
}

int64_t GlobalUse::total() const {
  int64_t total = 0;
  for (const RegionUse &use : regions)
    total += alignTo(use.bytes, alignment);
  return total;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// The memory planner takes queues to complete in order: each command of one
/// that does not is a queue of its own.
static void addOperations(ArrayRef<npu::CommandOp> commands,
                          const machine::Machine &machine,
                          memory::MemoryProblem &problem) {
  for (const machine::Queue &queue : machine.queues)
    problem.queues.push_back(queue.name);
  for (auto [i, op] : llvm::enumerate(commands)) {
    npu::CommandOp command = op;
    memory::Operation operation;
    operation.name = std::to_string(i);
    operation.queue = uint32_t(command.getQueue());
    if (!machine.engineOf(operation.queue).inOrder) {
      operation.queue = uint32_t(problem.queues.size());
      problem.queues.push_back("command " + operation.name);
    }
    if (auto after = command.getAfter())
      operation.after.assign(after->begin(), after->end());
    problem.operations.push_back(std::move(operation));
  }
}

using Storages = SmallVector<npu::StorageOp>;

static Storages storagesIn(npu::ProgramOp program, int64_t space) {
  Storages storages;
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>())
    if (int64_t(storage.getSpace()) == space)
      storages.push_back(storage);
  return storages;
}

static void addStorages(ArrayRef<npu::StorageOp> storages,
                        ArrayRef<npu::CommandOp> commands,
                        memory::MemoryProblem &problem) {
  DenseMap<Value, size_t> places;
  for (auto [i, op] : llvm::enumerate(storages)) {
    npu::StorageOp storage = op;
    memory::Storage entry;
    entry.name = (storage.getName() + "#" + Twine(i)).str();
    entry.bytes = int64_t(storage.getBytes());
    entry.alignment = int64_t(storage.getAlignment());
    places[storage.getStorage()] = i;
    problem.storages.push_back(std::move(entry));
  }
  for (auto [i, op] : llvm::enumerate(commands))
    for (Value storage : npu::CommandOp(op).getStorages())
      if (auto place = places.find(storage); place != places.end()) {
        auto &accesses = problem.storages[place->second].accesses;
        if (accesses.empty() || accesses.back() != i)
          accesses.push_back(memory::OpId(i));
      }
}

static void setOffset(npu::StorageOp storage, int64_t offset) {
  storage.setOffsetAttr(
      Builder(storage.getContext()).getI64IntegerAttr(offset));
}

/// The bytes of a constant as they are kept, or nothing.
static std::optional<StringRef> contentsOf(npu::StorageOp storage) {
  ElementsAttr contents = *storage.getContents();
  ArrayRef<char> data;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(contents)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      data = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(contents);
             dense && !dense.isSplat()) {
    data = dense.getRawData();
  }
  if (data.empty())
    return std::nullopt;
  return StringRef(data.data(), data.size());
}

/// Bytes of the constants' region.
static int64_t placeConstants(npu::ProgramOp program) {
  int64_t end = 0;
  DenseMap<std::pair<StringRef, int64_t>, int64_t> known;
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>()) {
    if (storage.getSpace() != isa::kConstantsRegion)
      continue;
    int64_t bytes = int64_t(storage.getBytes());
    int64_t unit = int64_t(storage.getAlignment());
    int64_t offset = alignTo(end, unit);
    if (auto contents = contentsOf(storage)) {
      auto [found, isNew] = known.try_emplace({*contents, bytes}, offset);
      if (found->second % unit == 0)
        offset = found->second;
    }
    setOffset(storage, offset);
    end = std::max(end, offset + bytes);
  }
  return end;
}

static GlobalUse placeRegions(npu::ProgramOp program,
                              const machine::Machine &machine) {
  std::map<int64_t, RegionUse> regions;
  auto add = [&](StringRef name, int64_t region, int64_t bytes) {
    RegionUse &use = regions[region];
    use = {name.str(), region, std::max(use.bytes, bytes)};
  };
  if (int64_t bytes = placeConstants(program))
    add("constants", isa::kConstantsRegion, bytes);
  for (auto storage : program.getBody().front().getOps<npu::StorageOp>()) {
    int64_t space = int64_t(storage.getSpace());
    if (space < isa::kFirstCallerRegion || !isa::isRegion(space))
      continue;
    setOffset(storage, 0);
    add(storage.getName(), space, int64_t(storage.getBytes()));
  }
  GlobalUse use;
  use.alignment = machine.global.alignment;
  for (const auto &[region, bytes] : regions)
    use.regions.push_back(bytes);
  return use;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  Planner(npu::ProgramOp program, const machine::Machine &machine,
          const AddressOptions &options)
      : program(program), machine(machine), options(options),
        commands(llvm::to_vector(
            program.getBody().front().getOps<npu::CommandOp>())) {}

  Status run();
  Shortage shortage; ///< its plans are the answer, too

private:
  Status planSpace(SpacePlan &plan, int64_t space, int64_t allowed);
  Status takeRefusal(SpacePlan &plan, int64_t allowed, memory::Refusal refusal);
  Status planArena();
  Status checkWindows();
  Status fail(Limit limit, int64_t space, int64_t allowed, int64_t needed,
              const std::string &message);
  MemoryPlans &plans() { return shortage.plans; }

  npu::ProgramOp program;
  const machine::Machine &machine;
  const AddressOptions &options;
  SmallVector<npu::CommandOp> commands;
};
} // namespace

/// Where regions may lie, from multiples of their alignment on.
static std::vector<machine::Window> windowsOf(const machine::Machine &machine) {
  std::vector<machine::Window> windows = machine.global.windows;
  if (windows.empty())
    windows.push_back({0, uint64_t(1) << machine.global.addressBits});
  uint64_t unit = uint64_t(machine.global.alignment);
  for (machine::Window &window : windows)
    window.begin =
        std::min((window.begin + unit - 1) / unit * unit, window.end);
  return windows;
}

int64_t tally::schedule::widestWindow(const machine::Machine &machine) {
  uint64_t widest = 0;
  for (const machine::Window &window : windowsOf(machine))
    widest = std::max(widest, window.end - window.begin);
  return int64_t(widest);
}

int64_t tally::schedule::allWindows(const machine::Machine &machine) {
  uint64_t bytes = 0;
  for (const machine::Window &window : windowsOf(machine))
    bytes += window.end - window.begin;
  return int64_t(bytes);
}

static const char *ruleOf(Limit limit) {
  constexpr const char *rules[] = {"MEM-10", "MEM-11", "MEM-12", "MEM-13"};
  return rules[size_t(limit)];
}

static std::string memoryName(int64_t space) {
  return space == isa::kSram           ? "SRAM"
         : space == isa::kAccumulators ? "accumulators"
                                       : "global memory";
}

Status Planner::fail(Limit limit, int64_t space, int64_t allowed,
                     int64_t needed, const std::string &message) {
  shortage.limit = limit;
  shortage.space = space;
  shortage.allowed = allowed;
  shortage.needed = needed;
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = ruleOf(limit);
  failure.message =
      memoryName(space) + " of '" + machine.name + "': " + message;
  shortage.diagnostic = failure;
  return failure;
}

/// The plan that breaks a limit, and which.
Status Planner::takeRefusal(SpacePlan &plan, int64_t allowed,
                            memory::Refusal refusal) {
  if (refusal.limit.empty()) {
    shortage.diagnostic = refusal.diagnostic;
    return refusal.diagnostic;
  }
  plan.solution = std::move(refusal.solution);
  const memory::MemoryReport &report = plan.solution.report;
  bool isLive = report.livePeak > allowed;
  Limit limit = refusal.limit == "encodable"      ? Limit::Window
                : !isLive                         ? Limit::Extent
                : plan.space == isa::kArenaRegion ? Limit::Budget
                                                  : Limit::Live;
  return fail(limit, plan.space, allowed,
              isLive ? report.livePeak : report.extent,
              refusal.diagnostic.message);
}

Status Planner::planSpace(SpacePlan &plan, int64_t space, int64_t allowed) {
  Storages storages = storagesIn(program, space);
  plan.space = space;
  auto &limits = plan.problem.limits;
  if (space == isa::kArenaRegion)
    limits.encodable = widestWindow(machine), limits.budget = allowed;
  else
    limits.capacity = allowed;
  if (storages.empty())
    return Status::success();
  addStorages(storages, commands, plan.problem);
  addOperations(commands, machine, plan.problem);
  plan.facts = factsOf(storages, commands, machine);
  memory::SolveOptions solve;
  solve.fit = true;
  solve.findRemedies = false;
  solve.steps = options.steps;
  memory::Refusal refusal;
  auto solution = memory::planMemory(plan.problem, solve, &refusal);
  if (!solution)
    return takeRefusal(plan, allowed, std::move(refusal));
  plan.solution = std::move(*solution);
  for (auto [storage, offset] : llvm::zip(storages, plan.solution.plan.offsets))
    setOffset(storage, offset);
  return Status::success();
}

/// What is left of the budget for the arena, in whole units of alignment.
static int64_t arenaBudget(const GlobalUse &others, int64_t budget) {
  if (budget == memory::kUnlimited)
    return memory::kUnlimited;
  int64_t left = budget - others.total();
  return left < 0 ? 0 : left / others.alignment * others.alignment;
}

static std::string useText(const GlobalUse &use) {
  std::string text;
  for (const RegionUse &region : use.regions)
    text += (text.empty() ? "" : ", ") + region.name + " " +
            std::to_string(region.bytes);
  return text;
}

static void addArena(GlobalUse &use, int64_t bytes) {
  if (bytes == 0)
    return;
  auto at = llvm::find_if(use.regions, [](const RegionUse &region) {
    return region.region > isa::kArenaRegion;
  });
  use.regions.insert(at, {"arena", isa::kArenaRegion, bytes});
}

Status Planner::planArena() {
  GlobalUse &use = plans().global;
  int64_t allowed = arenaBudget(use, options.budget);
  Status planned = planSpace(plans().arena, isa::kArenaRegion, allowed);
  const memory::MemoryReport &report = plans().arena.solution.report;
  addArena(use, report.extent);
  int64_t total = use.total();
  if (total <= options.budget)
    return planned;
  bool isLive = total - alignTo(report.extent, use.alignment) +
                    alignTo(report.livePeak, use.alignment) >
                options.budget;
  std::string text = std::to_string(total) + " bytes are taken, " +
                     std::to_string(total - options.budget) +
                     " beyond the budget of " + std::to_string(options.budget) +
                     ": " + useText(use);
  if (!isLive)
    text += "; what lives in the arena at one time, " +
            std::to_string(report.livePeak) +
            " bytes, would fit, a plan that has no gaps was not found";
  return fail(isLive ? Limit::Budget : Limit::Extent, isa::kArenaRegion,
              options.budget, total, text);
}

/// Regions in their order, each in the first window that has room.
Status Planner::checkWindows() {
  auto windows = windowsOf(machine);
  int64_t widest = widestWindow(machine);
  for (const RegionUse &region : plans().global.regions) {
    uint64_t bytes = alignTo(region.bytes, machine.global.alignment);
    auto window = llvm::find_if(windows, [&](const machine::Window &one) {
      return uint64_t(region.bytes) <= one.end - one.begin;
    });
    if (window == windows.end())
      return fail(Limit::Window, region.region, widest, region.bytes,
                  region.name + " of " + std::to_string(region.bytes) +
                      " bytes has no window that addresses can express, beside "
                      "what lies there (the widest has " +
                      std::to_string(widest) +
                      " bytes): " + useText(plans().global));
    window->begin = std::min(window->begin + bytes, window->end);
  }
  return Status::success();
}

Status Planner::run() {
  plans().global = placeRegions(program, machine);
  // What no schedule changes comes first.
  if (Status status = checkWindows(); !status)
    return status;
  if (Status status = planSpace(plans().accumulators, isa::kAccumulators,
                                machine.accumulators.bytes);
      !status)
    return status;
  if (Status status = planSpace(plans().sram, isa::kSram, machine.sram.bytes);
      !status)
    return status;
  if (Status status = planArena(); !status)
    return status;
  return checkWindows();
}

Result<MemoryPlans> tally::schedule::planMemory(npu::ProgramOp program,
                                                const machine::Machine &machine,
                                                const AddressOptions &options,
                                                Shortage *shortage) {
  Planner planner(program, machine, options);
  if (Status status = planner.run(); !status) {
    if (shortage)
      *shortage = std::move(planner.shortage);
    return status.takeError();
  }
  return std::move(planner.shortage.plans);
}
