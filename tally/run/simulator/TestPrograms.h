//===- TestPrograms.h - programs from instructions --------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_TESTPROGRAMS_H
#define TALLY_RUN_SIMULATOR_TESTPROGRAMS_H

#include "tally/emit/encode/Build.h"
#include "tally/run/simulator/Simulator.h"
#include "tally/run/simulator/TestBench.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace tally::simulator {

/// Writes a program instruction by instruction.
class Writer {
public:
  explicit Writer(const machine::Machine &machine) : machine(machine) {}

  Writer &operator<<(const isa::Instruction &instruction) {
    instructions.push_back(instruction);
    return *this;
  }
  /// x[reg] = value, in one or two instructions.
  Writer &li(uint32_t reg, int64_t value);
  /// A staged field by name, by way of x31 where cfg.i is too small.
  Writer &field(const std::string &queue, std::string_view name, int64_t value);
  /// Fields, then `go` of the queue's command of that name.
  Writer &
  go(const std::string &queue, std::string_view command,
     std::initializer_list<std::pair<std::string_view, int64_t>> fields);
  int64_t queue(const std::string &name) const;
  int64_t here() const { return int64_t(instructions.size()) * 4; }

  /// With constants, context and buffers as they are in `program`.
  isa::Program finish();

  isa::Program program;

private:
  const machine::Machine &machine;
  std::vector<isa::Instruction> instructions;
};

/// The caller's side of a call: a buffer for each region, bound from the first
/// address on; the context starts as the program says.
class Caller {
public:
  explicit Caller(const Simulator &simulator);

  std::vector<Binding> bindings;
  std::map<int64_t, std::vector<uint8_t>> bytes; ///< by region

  template <class T> std::vector<T> get(int64_t region) const {
    const std::vector<uint8_t> &from = bytes.at(region);
    std::vector<T> values(from.size() / sizeof(T));
    std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
};

/// The simulator, or a test failure.
std::unique_ptr<Simulator> load(const machine::Machine &machine,
                                const isa::Program &program);

/// Regions of the caller's first two buffers.
inline constexpr int64_t kIn = isa::kFirstCallerRegion, kOut = kIn + 1;

/// Programs of a test, on `edge` unless it changes the machine.
class Programs : public testing::Test {
protected:
  machine::Machine machine = shippedMachine("edge");
  Writer w{machine};

  /// A context of so many zero words.
  void context(size_t words) { w.program.context.assign(4 * words, 0); }
  void buffers(int64_t in, int64_t out) {
    w.program.buffers = {{"x", isa::BufferUse::Input, in},
                         {"y", isa::BufferUse::Output, out}};
  }
  /// A DMA of `bytes` bytes: one row.
  void copy(const std::string &queue, int64_t from, int64_t to, int64_t bytes,
            int64_t offset = 0) {
    w.go(queue, "copy",
         {{"size3", bytes},
          {"src.stride3", 1},
          {"dst.stride3", 1},
          {"src.space", from},
          {"dst.space", to},
          {from == isa::kSram ? "src.offset" : "dst.offset", offset}});
  }
  Outcome run(const RunOptions &options = {}) {
    simulator = load(machine, w.finish());
    caller = std::make_unique<Caller>(*simulator);
    auto outcome = simulator->run(caller->bindings, options);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().str());
    expectSums(outcome->counters);
    return outcome ? *outcome : Outcome{};
  }
  /// Every cycle of a queue is accounted for, once.
  static void expectSums(const Counters &counters) {
    for (const QueueCounters &queue : counters.queues) {
      int64_t sum = queue.busy + queue.empty;
      for (auto [reg, cycles] : queue.waiting)
        sum += cycles;
      EXPECT_EQ(sum, counters.cycles) << queue.name;
    }
  }
  void expectFault(const std::string &rule, const std::string &message) {
    Outcome outcome = run();
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->rule, rule) << outcome.fault->message;
    EXPECT_EQ(outcome.fault->message, message);
  }

  std::unique_ptr<Simulator> simulator;
  std::unique_ptr<Caller> caller;
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_TESTPROGRAMS_H
