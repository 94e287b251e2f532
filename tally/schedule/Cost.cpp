//===- Cost.cpp - how long a program would take ---------------------------===//
//
// One pass in the order of issue. Each queue knows when its last command ends
// and which of its places are taken, global memory when it has moved what was
// asked of it.
//
// Example, with 2 bytes of global memory in a cycle:
//
//   load a, 10 cycles, 16 bytes     [0, 10)   its bytes [0, 8)
//   load b, 10 cycles, 16 bytes     [0, 16)   on another queue; bytes [8, 16)
//   compute on a and b, 5 cycles    [16, 21)
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Cost.h"
#include "tally/emit/isa/Effects.h"

#include <algorithm>
#include <deque>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
struct QueueState {
  int64_t lastStart = 0, lastEnd = 0;
  std::deque<int64_t> ends; ///< of the commands that hold a place
};

class Clock {
public:
  explicit Clock(const machine::Machine &machine)
      : machine(machine), queues(machine.queues.size()) {
    estimate.busy.resize(machine.queues.size());
  }
  void run(const Work &work);
  Estimate estimate;

private:
  const machine::Machine &machine;
  std::vector<QueueState> queues;
  std::vector<int64_t> ends;
  int64_t issued = 0, globalFree = 0;
};
} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

void Clock::run(const Work &work) {
  const machine::Engine &engine = machine.engineOf(work.queue);
  QueueState &queue = queues[work.queue];
  if (int64_t(queue.ends.size()) == engine.depth) {
    issued = std::max(issued, queue.ends.front());
    queue.ends.pop_front();
  }
  issued += work.instructions * machine.processor.cyclesPerInstruction;
  int64_t start =
      std::max(issued, engine.inOrder ? queue.lastEnd : queue.lastStart);
  for (uint32_t before : work.after)
    start = std::max(start, ends[before]);
  int64_t end = start + work.cycles;
  if (int64_t bytes = work.globalRead + work.globalWrite) {
    globalFree = std::max(globalFree, start) +
                 ceilDiv(bytes, machine.global.bytesPerCycle);
    end = std::max(end, globalFree);
  }
  queue.lastStart = start;
  queue.lastEnd = end;
  queue.ends.insert(std::ranges::upper_bound(queue.ends, end), end);
  ends.push_back(end);
  estimate.cycles = std::max(estimate.cycles, end);
  estimate.busy[work.queue] += end - start;
  estimate.globalRead += work.globalRead;
  estimate.globalWrite += work.globalWrite;
}

Estimate tally::schedule::estimate(const std::vector<Work> &works,
                                   const machine::Machine &machine) {
  Clock clock(machine);
  for (const Work &work : works)
    clock.run(work);
  return std::move(clock.estimate);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A run of bytes costs whole granules.
static int64_t transferred(const isa::Access &access, int64_t granule) {
  int64_t bytes = 0;
  for (const isa::Box &box : access.boxes) {
    int64_t runs = 1;
    for (int64_t count : box.counts)
      runs *= count;
    bytes += runs * ceilDiv(box.bytes, granule) * granule;
  }
  return bytes;
}

/// The instructions that stage what differs from the queue's last command, of
/// which large values take three, and `go`.
static int64_t instructionsFor(const isa::Configuration &now,
                               const isa::Configuration &last) {
  int64_t instructions = 1;
  for (uint32_t field = 0; field < isa::allFields(now.kind()).size(); ++field)
    if (int64_t value = now.get(field); value != last.get(field))
      instructions += -8192 <= value && value < 8192 ? 1 : 3;
  return instructions;
}

std::vector<Work> tally::schedule::worksOf(npu::ProgramOp program,
                                           const machine::Machine &machine) {
  std::vector<isa::Configuration> last;
  last.reserve(machine.queues.size());
  for (uint32_t queue = 0; queue < machine.queues.size(); ++queue)
    last.emplace_back(machine.engineOf(queue).kind);
  std::vector<Work> works;
  for (auto op : program.getBody().front().getOps<npu::CommandOp>()) {
    isa::Command command = npu::commandOf(op, /*placed=*/true);
    Work work;
    work.queue = command.queue;
    work.cycles = isa::cyclesOf(command, machine);
    for (const isa::Access &access : isa::effects(command, machine))
      if (isa::isRegion(access.space))
        (access.kind == isa::AccessKind::Read ? work.globalRead
                                              : work.globalWrite) +=
            transferred(access, machine.global.granule);
    work.instructions = instructionsFor(command.config, last[command.queue]);
    last[command.queue] = command.config;
    if (auto after = op.getAfter())
      work.after.assign(after->begin(), after->end());
    works.push_back(std::move(work));
  }
  return works;
}
