//===- Load.cpp - what is checked, from a program -------------------------===//

#include "tally/run/checker/Subject.h"

#include "tally/emit/encode/Encode.h"

using namespace tally;
using namespace tally::checker;

/// The new value of a state, beside the old one, is written like an output.
static RegionRole roleOf(isa::BufferUse use) {
  if (use == isa::BufferUse::State)
    return RegionRole::State;
  return isa::isWritten(use) ? RegionRole::Output : RegionRole::Input;
}

static void addRegions(const isa::Program &program, Subject &subject) {
  auto add = [&](std::string name, RegionRole role, int64_t bytes,
                 int64_t alignment) {
    subject.regions.push_back({std::move(name), role, bytes, alignment});
  };
  int64_t alignment = program.arenaAlignment;
  add("constants", RegionRole::Constants, int64_t(program.constants.size()),
      alignment);
  add("arena", RegionRole::Arena, program.arenaBytes, alignment);
  add("context", RegionRole::Context, int64_t(program.context.size()),
      alignment);
  for (const isa::Buffer &buffer : program.buffers)
    add(isa::titleOf(buffer), roleOf(buffer.use), buffer.bytes,
        buffer.alignment);
}

/// Regions of states that move along their slots.
static void addRings(const isa::Program &program, Subject &subject) {
  for (const isa::State &state : program.states) {
    if (state.policy != isa::StatePolicy::Ring)
      continue;
    const isa::Ring &ring = state.ring;
    Region &region = subject.regions[isa::kFirstCallerRegion + state.oldBuffer];
    region.role = RegionRole::Ring;
    region.moves = ring.enters * ring.pitch;
    region.frames = {*state.bytes() / ring.frames, ring.pitch, ring.frames,
                     ring.enters, ring.down};
  }
}

/// Regions of states that get rows at a run-time scalar.
static void addCaches(const isa::Program &program, Subject &subject) {
  for (const isa::State &state : program.states) {
    if (state.policy != isa::StatePolicy::Append)
      continue;
    const isa::Append &append = state.append;
    Region &region = subject.regions[isa::kFirstCallerRegion + state.oldBuffer];
    region.role = RegionRole::Append;
    region.rows = {static_cast<size_t>(append.scalar), append.runs,
                   append.pitch, append.step, append.bytes};
  }
}

static void addOrigins(const isa::Program &program, Subject &subject) {
  for (const isa::NodeRange &node : program.nodes) {
    subject.nodes[static_cast<uint32_t>(node.first)] = node.name;
    // What no node follows belongs to none.
    subject.nodes.try_emplace(static_cast<uint32_t>(node.first + node.count));
  }
  for (const isa::SourceLine &line : program.lines)
    subject.lines[static_cast<uint32_t>(line.first)] =
        program.sourceFile + ":" + std::to_string(line.line);
}

std::string tally::checker::spaceName(const Subject &subject, int64_t space) {
  if (space == isa::kSram)
    return "sram";
  if (space == isa::kAccumulators)
    return "accumulators";
  return "region '" + subject.regions[space].name + "'";
}

Result<Subject> tally::checker::subjectOf(const isa::Program &program,
                                          const machine::Machine &machine) {
  if (Status status = isa::checkProgram(program); !status)
    return status.takeError();
  if (Status status = isa::checkMachine(program, machine); !status)
    return status.takeError();
  Subject subject;
  subject.machine = machine;
  for (uint32_t word : program.text) {
    Result<isa::Instruction> instruction = isa::decode(word);
    if (!instruction)
      return instruction.takeError();
    subject.text.push_back(*instruction);
  }
  addRegions(program, subject);
  addRings(program, subject);
  addCaches(program, subject);
  subject.constants = program.constants;
  addOrigins(program, subject);
  for (const isa::RuntimeScalar &scalar : program.scalars)
    subject.scalars.push_back(
        {scalar.name, scalar.offset, scalar.least, scalar.greatest});
  for (const isa::Symbol &symbol : program.symbols)
    if (symbol.space != isa::kTextSpace)
      subject.symbols.push_back(
          {symbol.name, symbol.space, symbol.offset, symbol.bytes});
  return subject;
}
