//===- Order.cpp - the order of issue and what it must keep ---------------===//
//
// Commands are issued step by step, but a step's loads of constants before the
// commands of the step before it, so that they run meanwhile:
//
//   load 1 | load 2, compute 1 | load 3, compute 2 | ...
//
// That is a prefetch of 1. Load s + 2 then waits for the commands of step s,
// and what step s + 2 computes for what step s stores, so that two bands are in
// SRAM. Everything else follows from bytes: a read waits for the writes before
// it, a write for reads and writes, in the same storage, where the boxes of
// their bytes meet. A write that covers earlier accesses takes their place, so
// that time grows with what a storage holds at once, not with its accesses.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Effects.h"
#include "tally/schedule/Plans.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static bool loadsConstant(npu::CommandOp command) {
  auto source = npu::storageOf(command, "src");
  return source && source.getSpace() == isa::kConstantsRegion;
}

static bool isTensor(npu::StorageOp storage) {
  int64_t space = storage ? int64_t(storage.getSpace()) : isa::kSram;
  return isa::isRegion(space) && space != isa::kConstantsRegion;
}

/// A band of a tensor whose home is global memory.
static bool loadsBand(npu::CommandOp command) {
  return isTensor(npu::storageOf(command, "src"));
}

static bool storesBand(npu::CommandOp command) {
  return isTensor(npu::storageOf(command, "dst"));
}

/// The last step that writes each storage.
using LastWrites = DenseMap<Value, int64_t>;

static LastWrites lastWrites(ArrayRef<npu::CommandOp> commands) {
  LastWrites last;
  for (npu::CommandOp command : commands)
    if (auto result = npu::storageOf(command, "dst"))
      last[result] = std::max(last[result], int64_t(command.getStep()));
  return last;
}

/// Step and phase of issue: loads of the next step, then this step's commands.
/// A band goes ahead like a constant once what it holds has been stored.
static std::pair<int64_t, int>
turnOf(npu::CommandOp command, const LastWrites &writes, int64_t prefetch) {
  int64_t step = int64_t(command.getStep());
  bool isAhead = loadsConstant(command);
  if (loadsBand(command)) {
    auto written = writes.find(npu::storageOf(command, "src"));
    isAhead = written == writes.end() || written->second < step - prefetch;
  }
  return isAhead ? std::pair(step - prefetch, 0) : std::pair(step, 1);
}

/// Numbers the steps that have commands from 0 on.
static void numberSteps(ArrayRef<npu::CommandOp> commands) {
  std::map<int64_t, int64_t> numbers;
  for (npu::CommandOp command : commands)
    numbers[int64_t(command.getStep())] = 0;
  int64_t next = 0;
  for (auto &[step, number] : numbers)
    number = next++;
  for (npu::CommandOp command : commands)
    command.setStep(uint64_t(numbers[int64_t(command.getStep())]));
}

static void sortCommands(npu::ProgramOp program, int64_t prefetch) {
  Block &body = program.getBody().front();
  auto commands = llvm::to_vector(body.getOps<npu::CommandOp>());
  numberSteps(commands);
  LastWrites writes = lastWrites(commands);
  llvm::stable_sort(commands, [&](npu::CommandOp a, npu::CommandOp b) {
    return turnOf(a, writes, prefetch) < turnOf(b, writes, prefetch);
  });
  for (npu::CommandOp command : commands)
    command->moveBefore(&body, body.end());
}

namespace {
/// Where the bytes of an access lie, in numbers that are quick to compare.
struct Extent {
  int64_t begin = 0, end = 0; ///< all of them, [begin, end)
  bool isDense = false;       ///< a write of every byte in between
  /// Of an access of one box: all its runs of `bytes` bytes begin at `begin`
  /// modulo `period`; 0 for others.
  int64_t period = 0, bytes = 0;

  explicit Extent(const isa::Access &access);
  bool covers(const Extent &other) const {
    return isDense && begin <= other.begin && other.end <= end;
  }
  bool isApartFrom(const Extent &other) const;
  bool surelyMeets(const Extent &other) const;
};

struct PastAccess {
  int64_t command = 0;
  Extent extent;
  isa::Access access;
};

/// The accesses of one storage that later ones may have to wait for.
class History {
public:
  /// Adds the commands that `access` has to wait for.
  void collect(const isa::Access &access, std::set<int64_t> &after) const;
  void add(int64_t command, isa::Access access);

private:
  std::vector<PastAccess> reads, writes;
};

/// Finds what each command has to wait for.
class Dependencies {
public:
  Dependencies(const machine::Machine &machine, int64_t prefetch)
      : machine(machine), prefetch(prefetch) {}
  void add(npu::CommandOp command, int64_t index);

private:
  void release(npu::CommandOp command);

  const machine::Machine &machine;
  int64_t prefetch;
  std::set<int64_t> after;
  DenseMap<Value, History> past;
  /// The last command of each queue in a step.
  using LastOfStep = std::map<int64_t, std::map<uint32_t, int64_t>>;
  LastOfStep lastOfStep, lastStoreOfStep;
};
} // namespace

Extent::Extent(const isa::Access &access) {
  if (access.boxes.empty())
    return;
  begin = INT64_MAX;
  end = INT64_MIN;
  for (const isa::Box &box : access.boxes) {
    begin = std::min(begin, box.begin());
    end = std::max(end, box.end());
  }
  if (access.boxes.size() > 1)
    return;
  const isa::Box &box = access.boxes.front();
  bytes = box.bytes;
  int64_t count = 1;
  for (auto [size, stride] : llvm::zip(box.counts, box.strides)) {
    count *= size;
    period = size > 1 ? std::gcd(period, stride) : period;
  }
  // Results do not share bytes with each other (CMD-OVERLAP).
  isDense =
      access.kind == isa::AccessKind::Write && count * bytes == end - begin;
}

/// Hulls that do not meet, or runs that do not meet modulo a period of both:
/// blocks of channels of the same pixels.
bool Extent::isApartFrom(const Extent &other) const {
  if (begin >= other.end || other.begin >= end)
    return true;
  int64_t common = std::gcd(period, other.period);
  if (period == 0 || other.period == 0 || bytes > common ||
      other.bytes > common)
    return false;
  int64_t distance = (other.begin - begin) % common;
  distance += distance < 0 ? common : 0;
  return distance >= bytes && distance + other.bytes <= common;
}

/// The first or last byte of one lies in the other, which is dense.
bool Extent::surelyMeets(const Extent &other) const {
  auto holds = [](const Extent &dense, int64_t byte) {
    return dense.isDense && dense.begin <= byte && byte < dense.end;
  };
  return holds(*this, other.begin) || holds(*this, other.end - 1) ||
         holds(other, begin) || holds(other, end - 1);
}

void History::collect(const isa::Access &access,
                      std::set<int64_t> &after) const {
  Extent extent(access);
  auto scan = [&](const std::vector<PastAccess> &others) {
    for (const PastAccess &other : others)
      if (!extent.isApartFrom(other.extent) &&
          (extent.surelyMeets(other.extent) ||
           isa::overlap(access, other.access)))
        after.insert(other.command);
  };
  scan(writes);
  if (access.kind == isa::AccessKind::Write)
    scan(reads);
}

/// What a write covers has been waited for by it: who waits for the write has
/// waited for that, too.
void History::add(int64_t command, isa::Access access) {
  Extent extent(access);
  bool isWrite = access.kind == isa::AccessKind::Write;
  if (extent.isDense)
    for (auto *others : {&reads, &writes})
      std::erase_if(*others, [&](const PastAccess &other) {
        return extent.covers(other.extent);
      });
  (isWrite ? writes : reads).push_back({command, extent, std::move(access)});
}

void Dependencies::release(npu::CommandOp command) {
  int64_t step = int64_t(command.getStep()) - prefetch - 1;
  bool isLoad = loadsConstant(command) || loadsBand(command);
  const auto &last = isLoad ? lastOfStep : lastStoreOfStep;
  if (auto found = last.find(step); found != last.end())
    for (auto [queue, index] : found->second)
      after.insert(index);
}

void Dependencies::add(npu::CommandOp command, int64_t index) {
  after.clear();
  release(command);
  isa::Command decoded = npu::commandOf(command, /*placed=*/false);
  auto accesses = npu::accessesOf(command, machine, /*placed=*/false);
  auto storageAt = [&](const isa::Access &access) -> Value {
    return npu::storageOf(command, access.operand)->getResult(0);
  };
  for (const isa::Access &access : accesses)
    past[storageAt(access)].collect(access, after);
  for (isa::Access &access : accesses) { // reads first
    Value storage = storageAt(access);
    past[storage].add(index, std::move(access));
  }
  if (!loadsConstant(command) && !loadsBand(command))
    lastOfStep[int64_t(command.getStep())][decoded.queue] = index;
  if (storesBand(command))
    lastStoreOfStep[int64_t(command.getStep())][decoded.queue] = index;
  command.setAfterAttr(DenseI64ArrayAttr::get(
      command.getContext(), SmallVector<int64_t>(after.begin(), after.end())));
}

void tally::schedule::orderCommands(npu::ProgramOp program,
                                    const machine::Machine &machine,
                                    const Choices &choices) {
  sortCommands(program, choices.prefetch);
  Dependencies dependencies(machine, choices.prefetch);
  int64_t index = 0;
  for (auto command : program.getBody().front().getOps<npu::CommandOp>())
    dependencies.add(command, index++);
}
