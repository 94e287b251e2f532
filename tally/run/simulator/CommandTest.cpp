//===- CommandTest.cpp - what commands compute and touch ------------------===//
//
// Every command of the table, with random fields, against its meaning written
// down element by element, and the bytes it touches against its effects.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Effects.h"
#include "tally/run/simulator/Audit.h"
#include "tally/run/simulator/TestBench.h"
#include "tally/run/simulator/TestReference.h"
#include "tally/run/simulator/kernels/Kernels.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::simulator;

namespace {
class EachCommand : public testing::TestWithParam<isa::CommandInfo> {
protected:
  const machine::Machine machine = shippedMachine("edge");
};
} // namespace

static std::string fieldsOf(const isa::Command &command) {
  std::string text(command.info().name);
  auto fields = isa::allFields(command.config.kind());
  for (uint32_t i = 0; i < fields.size(); ++i)
    if (command.config.get(i) != fields[i].initial)
      text += " " + std::string(fields[i].name) + "=" +
              std::to_string(command.config.get(i));
  return text;
}

/// What work space holds afterwards is nobody's business.
static void copyWorkSpace(const std::vector<isa::Access> &accesses,
                          const Bench &from, Bench &to) {
  for (const isa::Access &access : accesses)
    if (access.isScratch)
      for (isa::ByteRange range : isa::rangesOf(access.boxes))
        std::copy(from.bytes.at(access.space).begin() + range.begin,
                  from.bytes.at(access.space).begin() + range.end,
                  to.bytes[access.space].begin() + range.begin);
}

TEST_P(EachCommand, MeansWhatItsRowSays) {
  std::mt19937_64 random = seeded(1);
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    Bench bench(machine);
    bench.fillRandomly(random());
    isa::Command command =
        randomCommand(random, GetParam().code, machine, bench);
    Bench expected(bench);
    bool hasMeaning = referenceOf(command, expected);
    Touched touched;
    bench.memory.record(&touched);
    KernelFault fault = runCommand(command, bench.memory, machine);
    ASSERT_TRUE(bench.memory.isGood()) << fieldsOf(command);
    if (fault) {
      EXPECT_FALSE(hasMeaning) << *fault << ": " << fieldsOf(command);
      continue;
    }
    auto difference = audit(isa::effects(command, machine), touched);
    ASSERT_FALSE(difference) << *difference << ": " << fieldsOf(command);
    if (!hasMeaning)
      continue;
    ++compared;
    copyWorkSpace(isa::effects(command, machine), bench, expected);
    ASSERT_TRUE(bench.bytes == expected.bytes) << fieldsOf(command);
  }
  EXPECT_GT(compared, 15);
}

INSTANTIATE_TEST_SUITE_P(Table, EachCommand,
                         testing::ValuesIn(isa::allCommands().begin(),
                                           isa::allCommands().end()),
                         [](const auto &info) {
                           return std::string(engineKindName(info.param.kind)) +
                                  std::string(info.param.name);
                         });
