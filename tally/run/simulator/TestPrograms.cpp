//===- TestPrograms.cpp - programs from instructions ----------------------===//

#include "tally/run/simulator/TestPrograms.h"
#include "tally/emit/encode/Encode.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::simulator;
namespace build = isa::build;

Writer &Writer::li(uint32_t reg, int64_t value) {
  int64_t low = int64_t(int32_t(uint32_t(value) << 20) >> 20);
  int64_t high = (value - low) >> 12 & 0xfffff;
  if (high != 0)
    *this << build::Lui(reg, high);
  if (high == 0 || low != 0)
    *this << build::Addi(reg, high == 0 ? 0 : reg, low);
  return *this;
}

int64_t Writer::queue(const std::string &name) const {
  auto found = machine.findQueue(name);
  EXPECT_TRUE(found) << name;
  return found ? *found : 0;
}

Writer &Writer::field(const std::string &name, std::string_view field,
                      int64_t value) {
  int64_t number = queue(name);
  auto place = isa::findField(machine.engineOf(uint32_t(number)).kind, field);
  EXPECT_TRUE(place) << field;
  build::FieldNumber at(place.value_or(0));
  if (value >= -8192 && value < 8192)
    return *this << build::CfgI(number, at, value);
  li(31, value);
  return *this << build::CfgR(number, at, 31);
}

Writer &
Writer::go(const std::string &name, std::string_view command,
           std::initializer_list<std::pair<std::string_view, int64_t>> fields) {
  for (auto [field, value] : fields)
    this->field(name, field, value);
  int64_t number = queue(name);
  const isa::CommandInfo *info =
      isa::findCommand(machine.engineOf(uint32_t(number)).kind, command);
  EXPECT_TRUE(info) << command;
  return *this << build::Go(number, info->code);
}

isa::Program Writer::finish() {
  program.producer = "test";
  for (const isa::Instruction &instruction : instructions) {
    auto word = isa::encode(instruction);
    EXPECT_TRUE(word) << (word ? "" : word.error().message);
    program.text.push_back(word ? *word : 0);
  }
  program.requirements = isa::requirementsOf(program.text, machine);
  return program;
}

Caller::Caller(const Simulator &simulator) {
  auto placed = simulator.place();
  EXPECT_TRUE(placed);
  bindings = *placed;
  for (Binding &binding : bindings) {
    for (const Region &region : simulator.regions())
      if (region.number == binding.region)
        bytes[binding.region].resize(size_t(region.bytes));
    if (binding.region == isa::kContextRegion)
      bytes[binding.region] = simulator.program().context;
    binding.bytes = bytes[binding.region];
  }
}

std::unique_ptr<Simulator>
tally::simulator::load(const machine::Machine &machine,
                       const isa::Program &program) {
  auto simulator = Simulator::create(machine, program);
  EXPECT_TRUE(simulator) << (simulator ? "" : simulator.error().str());
  return simulator ? std::move(*simulator) : nullptr;
}
