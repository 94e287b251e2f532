//===- Run.h - one call of a program ----------------------------*- C++ -*-===//
//
// Private to the simulator: the processor issues, the timeline decides when,
// and the kernels compute what.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_RUN_H
#define TALLY_RUN_SIMULATOR_RUN_H

#include "tally/emit/isa/Effects.h"
#include "tally/run/simulator/Code.h"
#include "tally/run/simulator/Processor.h"
#include "tally/run/simulator/Simulator.h"
#include "tally/run/simulator/Timeline.h"

#include <functional>
#include <random>

namespace tally::simulator {

class Run final : public Executor {
public:
  Run(const machine::Machine &machine, const Code &code, Memory &memory,
      SyncState &sync, const RunOptions &options);

  Outcome run();

  std::optional<Wrong> begin(Entry &entry, Work &work) override;
  std::optional<Wrong> execute(Entry &entry) override;
  uint32_t scalar(uint32_t reg) override { return processor.read(reg); }
  void completed(const Entry &entry, uint32_t queue, int64_t time) override;

private:
  // The processor's side.
  void step();
  void executeInstruction(const isa::Instruction &instruction);
  void stage(const isa::Instruction &instruction);
  void issue(const isa::Instruction &instruction);
  void prepareCommand(const isa::Instruction &instruction, Entry &entry);
  void prepareSync(const isa::Instruction &instruction, uint32_t queue,
                   Entry &entry);
  void fence(const isa::Instruction &instruction);
  void waitUntil(const std::function<bool()> &isOver, int64_t &stalled,
                 const std::string &name);
  void catchUp();
  void advanceTo(int64_t time);

  // The commands' side.
  std::optional<Wrong> check(const isa::Command &command) const;
  bool readLate(Entry &entry) const;
  std::optional<Wrong> executeScalar(const isa::Instruction &instruction);
  std::optional<Wrong> memoryWrong() const;
  void count(const isa::Access &access);
  void perturb(Entry &entry);

  // What is told.
  Fault faultAt(uint32_t pc, Wrong wrong) const;
  void fail(Wrong wrong);
  void failQueue(const QueueFault &fault);
  std::vector<std::string> describeState() const;
  std::string describeQueue(uint32_t queue) const;
  std::string textAt(uint32_t pc) const;
  std::string nodeAt(uint32_t pc) const;
  std::string lineAt(uint32_t pc) const;
  std::string sourceAt(uint32_t pc) const;
  void traceProcessor(int64_t begin, const std::string &name);
  void nameNodes();
  void countForNode(const Entry &entry, uint32_t queue, int64_t begin,
                    int64_t end);
  Counters collect() const;

  bool isTimed() const { return options.mode != Mode::Functional; }

  const machine::Machine &machine;
  const Code &code;
  Memory &memory;
  SyncState &sync;
  const RunOptions &options;
  Processor processor;
  Timeline timeline;
  std::vector<isa::Configuration> staged; ///< of each queue
  int64_t clock = 0;                      ///< the processor's time
  uint32_t current = 0;                   ///< pc of what it executes
  int64_t issued = 0;
  int64_t executed = 0; ///< commands that have worked
  bool hasEnded = false;
  std::optional<Fault> fault;
  ProcessorCounters counts;
  struct Moved {
    int64_t read = 0, written = 0;
  };
  std::array<Moved, Memory::kSpaces> moved; ///< bytes by space
  std::vector<int64_t> macs;                ///< by queue
  std::vector<uint32_t> nodeOf;             ///< of each word, place in `nodes`
  std::vector<NodeCounters> nodes;          ///< by name
  std::vector<int64_t> freeSince;           ///< when a queue's last entry left
  std::mt19937_64 random;
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_RUN_H
