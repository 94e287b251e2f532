//===- TestStreams.cpp - streams for tests --------------------------------===//

#include "tally/emit/stream/TestStreams.h"

#include <algorithm>
#include <random>

using namespace tally;
using namespace tally::emit;
using isa::DmaField;
using isa::VectorField;

isa::Command tally::emit::loadOf(int64_t from, int64_t to, int64_t bytes) {
  isa::Command command;
  command.queue = kDma;
  const std::pair<DmaField, int64_t> fields[] = {
      {DmaField::Size3, bytes},    {DmaField::SrcSpace, isa::kArenaRegion},
      {DmaField::SrcOffset, from}, {DmaField::SrcStride3, 1},
      {DmaField::DstOffset, to},   {DmaField::DstStride3, 1}};
  for (auto [field, value] : fields)
    (void)command.config.set(field, value);
  return command;
}

isa::Command tally::emit::moveOf(int64_t from, int64_t to, int64_t bytes) {
  isa::Command command;
  command.code = isa::CommandCode::VectorCopy;
  command.queue = kVector;
  command.config = isa::Configuration(machine::EngineKind::Vector);
  const std::pair<VectorField, int64_t> fields[] = {
      {VectorField::Size3, bytes},
      {VectorField::AOffset, from},
      {VectorField::AStride3, 1},
      {VectorField::OutOffset, to},
      {VectorField::OutStride3, 1}};
  for (auto [field, value] : fields)
    (void)command.config.set(field, value);
  return command;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static std::string textOf(const PlannedWait &wait,
                          const machine::Machine &machine) {
  std::string reg = std::to_string(wait.reg);
  switch (machine.sync.kind) {
  case machine::SyncKind::Counter:
    return " wait.ge " + reg + " " + std::to_string(wait.threshold);
  case machine::SyncKind::Token:
    return " take " + reg;
  case machine::SyncKind::Flag:
    return " test " + reg;
  }
  return "";
}

static std::string textOf(const isa::Command &command) {
  std::string text = " go " + std::to_string(int64_t(command.code)) + " 0 0";
  auto fields = isa::allFields(command.config.kind()).size();
  for (uint32_t field = 0; field < fields; ++field)
    text += "," + std::to_string(command.config.get(field));
  return text;
}

/// The command with the offsets that it has when words of the context are what
/// TestProcessor begins with.
static isa::Command movedBy(const PlannedCommand &planned) {
  isa::Command command = planned.command;
  for (const MovingField &moving : planned.moving)
    (void)command.config.set(moving.field,
                             command.config.get(moving.field) +
                                 moving.step * (1000 + moving.word));
  return command;
}

static void addResets(const std::vector<uint32_t> &registers,
                      std::vector<std::string> &entries) {
  for (uint32_t reg : registers)
    entries.push_back("reset " + std::to_string(reg));
}

std::vector<std::string>
tally::emit::entriesOf(const Stream &stream, const machine::Machine &machine) {
  std::vector<std::string> entries;
  for (const PlannedCommand &planned : stream.commands) {
    const std::string &queue = machine.queues[planned.command.queue].name;
    if (planned.drains)
      addResets(stream.registers, entries);
    for (const PlannedWait &wait : planned.waits)
      entries.push_back(queue + textOf(wait, machine));
    for (uint32_t reg : planned.clears)
      entries.push_back(queue + " clear " + std::to_string(reg));
    entries.push_back(queue + textOf(movedBy(planned)));
    for (uint32_t reg : planned.signals)
      entries.push_back(queue + " signal " + std::to_string(reg));
  }
  addResets(stream.finalClears, entries);
  return entries;
}

//===----------------------------------------------------------------------===//
// Random streams
//===----------------------------------------------------------------------===//

namespace {
/// One place of a group: numbers of its first trip, and their steps.
struct RandomPlace {
  bool isLoad = false, waits = false, clears = false, signals = false;
  int64_t from = 0, to = 0, bytes = 0, fromStep = 0, toStep = 0, bytesStep = 0;
  uint32_t waitReg = 0, signalReg = 0, node = 0;
  int64_t behind = 0, threshold = 0;
};

class RandomStream {
public:
  RandomStream(unsigned seed, const machine::Machine &machine)
      : random(seed), machine(machine) {}
  Stream run();

private:
  int64_t below(int64_t end) {
    return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
  }
  bool oneIn(int64_t count) { return below(count) == 0; }
  RandomPlace place();
  void add(const RandomPlace &place, int64_t trip, bool drains);
  void group();

  std::mt19937 random;
  const machine::Machine &machine;
  Stream stream;
  std::vector<int64_t> issued = std::vector<int64_t>(8);
};
} // namespace

RandomPlace RandomStream::place() {
  constexpr int64_t steps[] = {0, 0, 16, 512, 4096, 12288, 5376, -48, 70000};
  RandomPlace place;
  place.isLoad = oneIn(2);
  place.from = (place.isLoad ? 2000000 : 200000) + below(3) * 1500;
  place.to = 300000 + below(4) * 40000;
  place.bytes = 300 + below(300);
  place.fromStep = steps[below(place.isLoad ? 9 : 7)];
  place.toStep = steps[below(7)];
  place.bytesStep = oneIn(4) ? -1 : 0;
  place.waits = !oneIn(3);
  place.clears = machine.sync.kind == machine::SyncKind::Flag && oneIn(3);
  place.signals = !oneIn(3);
  place.waitReg = static_cast<uint32_t>(below(3));
  place.signalReg = static_cast<uint32_t>(below(3));
  place.behind = below(3);
  place.threshold = 1 + below(3);
  place.node = static_cast<uint32_t>(below(3));
  return place;
}

void RandomStream::add(const RandomPlace &place, int64_t trip, bool drains) {
  PlannedCommand planned;
  int64_t from = place.from + trip * place.fromStep;
  int64_t to = place.to + trip * place.toStep;
  int64_t bytes = place.bytes + trip * place.bytesStep;
  planned.command =
      place.isLoad ? loadOf(from, to, bytes) : moveOf(from, to, bytes);
  planned.drains = drains;
  if (drains)
    std::ranges::fill(issued, 0);
  // Some thresholds follow the signals, some stay.
  int64_t threshold = place.behind == 0 ? place.threshold
                                        : issued[place.waitReg] - place.behind;
  if (place.waits && threshold >= 0)
    planned.waits.push_back({place.waitReg, threshold});
  if (place.clears)
    planned.clears.push_back(place.waitReg);
  if (place.signals)
    planned.signals.push_back(place.signalReg);
  for (uint32_t reg : planned.signals)
    ++issued[reg];
  planned.node = place.node;
  stream.commands.push_back(std::move(planned));
}

void RandomStream::group() {
  std::vector<RandomPlace> places(1 + below(4));
  std::ranges::generate(places, [&] { return place(); });
  int64_t trips = 1 + below(12);
  bool drains = oneIn(8);
  for (int64_t trip = 0; trip < trips; ++trip)
    for (RandomPlace &place : places) {
      if (oneIn(40))
        place.to += 64; // the run ends, and another begins
      add(place, trip, drains && &place == places.data());
    }
}

Stream RandomStream::run() {
  stream.nodes = {"first", "second", "third"};
  stream.registers = {0, 1, 2};
  stream.finalClears = {0, 2};
  for (int64_t groups = 1 + below(6); groups > 0; --groups)
    group();
  return std::move(stream);
}

Stream tally::emit::randomStream(unsigned seed,
                                 const machine::Machine &machine) {
  return RandomStream(seed, machine).run();
}

size_t tally::emit::loopsOf(const Code &code) {
  return std::ranges::count_if(code.lines, [](const CodeLine &line) {
    auto offset = line.instruction.info().find(isa::OperandKind::Offset);
    return offset && line.instruction.operands[*offset] < 0;
  });
}
