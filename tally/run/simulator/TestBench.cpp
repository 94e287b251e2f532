//===- TestBench.cpp - memories and commands for tests --------------------===//

#include "tally/run/simulator/TestBench.h"
#include "tally/machine/MachineFile.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::simulator;

machine::Machine tally::simulator::shippedMachine(const std::string &name) {
  auto machine = machine::readMachine(std::string(TALLY_SOURCE_DIR) +
                                      "/machines/" + name + ".yaml");
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().str());
  return machine ? *machine : machine::Machine{};
}

isa::Command tally::simulator::makeCommand(const machine::Machine &machine,
                                           isa::CommandCode code) {
  isa::Command command;
  command.code = code;
  machine::EngineKind kind = isa::infoOf(code).kind;
  command.config = isa::Configuration(kind);
  while (machine.engineOf(command.queue).kind != kind)
    ++command.queue;
  return command;
}

void tally::simulator::setField(isa::Command &command, std::string_view field,
                                int64_t value) {
  auto place = isa::findField(command.config.kind(), field);
  ASSERT_TRUE(place) << field;
  Status status = command.config.set(*place, value);
  ASSERT_TRUE(status) << field << " = " << value;
}

Bench::Bench(const machine::Machine &machine) {
  for (int64_t region = 0; region < 6; ++region)
    bytes[region].resize(65536);
  bytes[isa::kSram].resize(size_t(machine.sram.bytes));
  bytes[isa::kAccumulators].resize(size_t(machine.accumulators.bytes));
  mapAll();
}

void Bench::mapAll() {
  for (auto &[number, content] : bytes) {
    Space &space = memory.space(number);
    space.bytes = content;
    space.isMapped = true;
  }
}

void Bench::fillRandomly(uint64_t seed) {
  std::mt19937_64 random(seed);
  for (auto &[number, content] : bytes)
    for (size_t i = 0; i < content.size(); i += 8) {
      uint64_t word = random();
      std::memcpy(content.data() + i, &word, 8);
    }
}

int64_t tally::simulator::draw(std::mt19937_64 &random, int64_t low,
                               int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}
