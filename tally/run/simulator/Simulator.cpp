//===- Simulator.cpp - a machine that runs programs -----------------------===//

#include "tally/run/simulator/Simulator.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/isa/Config.h"
#include "tally/run/simulator/Run.h"

#include <algorithm>
#include <cstring>

using namespace tally;
using namespace tally::simulator;

static Code decode(const isa::Program &program) {
  Code code;
  code.words = program.text;
  for (uint32_t word : program.text) {
    auto instruction = isa::decode(word);
    code.instructions.push_back(instruction ? std::optional(*instruction)
                                            : std::nullopt);
  }
  for (size_t i = 0; i < program.text.size(); ++i) {
    code.nodes.emplace_back(program.nodeOf(int64_t(i)));
    int64_t line = program.lineOf(int64_t(i));
    code.lines.push_back(line ? program.sourceFile + ":" + std::to_string(line)
                              : "");
  }
  return code;
}

static Role roleOf(isa::BufferUse use) {
  switch (use) {
  case isa::BufferUse::Input:
    return Role::Input;
  case isa::BufferUse::Output:
    return Role::Output;
  case isa::BufferUse::OldState:
    return Role::OldState;
  case isa::BufferUse::NewState:
    return Role::NewState;
  case isa::BufferUse::State:
    break;
  }
  return Role::State;
}

static std::vector<Region> regionsOf(const isa::Program &program) {
  std::vector<Region> regions;
  auto add = [&](int64_t number, std::string name, int64_t alignment,
                 Role role) {
    int64_t bytes = program.regionBytes(number).value_or(0);
    if (bytes > 0)
      regions.push_back({number, std::move(name), bytes, alignment, role});
  };
  add(isa::kConstantsRegion, "constants", program.arenaAlignment,
      Role::Constants);
  add(isa::kArenaRegion, "arena", program.arenaAlignment, Role::Arena);
  add(isa::kContextRegion, "context", program.arenaAlignment, Role::Context);
  int64_t number = isa::kFirstCallerRegion;
  for (const isa::Buffer &buffer : program.buffers)
    add(number++, isa::titleOf(buffer), buffer.alignment, roleOf(buffer.use));
  return regions;
}

Result<std::unique_ptr<Simulator>> Simulator::create(machine::Machine machine,
                                                     isa::Program program) {
  if (Status status = isa::checkProgram(program); !status)
    return status.takeError();
  if (Status status = isa::checkMachine(program, machine); !status)
    return status.takeError();
  return std::unique_ptr<Simulator>(
      new Simulator(std::move(machine), std::move(program)));
}

Simulator::Simulator(machine::Machine machine, isa::Program program)
    : theMachine(std::move(machine)), theProgram(std::move(program)),
      theRegions(regionsOf(theProgram)), code(decode(theProgram)),
      arena(size_t(theProgram.arenaBytes)), sram(size_t(theMachine.sram.bytes)),
      accumulators(size_t(theMachine.accumulators.bytes)) {
  memory.space(isa::kSram).name = "sram";
  memory.space(isa::kAccumulators).name = "accumulators";
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static Diagnostic refuse(const char *rule, std::string message,
                         std::string hint = "") {
  return {FailureKind::Usage, std::move(message), rule, "", "",
          std::move(hint)};
}

static std::string nameOf(const Region &region) {
  return "region " + std::to_string(region.number) + " '" + region.name + "'";
}

static bool isKept(const Region &region) {
  return region.role == Role::Constants || region.role == Role::Arena;
}

const Region *Simulator::findRegion(int64_t number) const {
  for (const Region &region : theRegions)
    if (region.number == number)
      return &region;
  return nullptr;
}

/// Whether [begin, end) lies in one window, or in the address space where no
/// windows are given.
static bool isInWindow(const machine::GlobalMemory &global, uint64_t begin,
                       uint64_t end) {
  if (global.windows.empty())
    return end <= uint64_t(1) << global.addressBits;
  return std::ranges::any_of(global.windows, [&](machine::Window window) {
    return window.begin <= begin && end <= window.end;
  });
}

Status Simulator::checkBinding(const Binding &binding) const {
  const Region *region = findRegion(binding.region);
  if (!region)
    return refuse("BIND-1", "the program has no region " +
                                std::to_string(binding.region));
  if (!isKept(*region) && int64_t(binding.bytes.size()) < region->bytes)
    return refuse("BIND-2", nameOf(*region) + " needs " +
                                std::to_string(region->bytes) +
                                " bytes, the buffer has " +
                                std::to_string(binding.bytes.size()));
  auto alignment =
      uint64_t(std::max(region->alignment, theMachine.global.alignment));
  if (binding.base % alignment != 0)
    return refuse("BIND-3", nameOf(*region) + " is bound at " +
                                std::to_string(binding.base) +
                                ", which is no multiple of " +
                                std::to_string(alignment));
  uint64_t end = binding.base + uint64_t(region->bytes);
  if (end < binding.base || !isInWindow(theMachine.global, binding.base, end))
    return refuse("BIND-4", nameOf(*region) + " at addresses " +
                                std::to_string(binding.base) + " to " +
                                std::to_string(end) +
                                " lies in no window of the global memory");
  return Status::success();
}

namespace {
/// A range of addresses that a region takes.
struct Extent {
  uint64_t begin, end;
  const Region *region;
};
} // namespace

static Status checkDisjoint(std::vector<Extent> extents, const char *what) {
  std::ranges::sort(extents, {}, &Extent::begin);
  for (size_t i = 1; i < extents.size(); ++i)
    if (extents[i].begin < extents[i - 1].end)
      return refuse("BIND-5", nameOf(*extents[i - 1].region) + " and " +
                                  nameOf(*extents[i].region) + " share " +
                                  what);
  return Status::success();
}

Status Simulator::checkOverlaps(std::span<const Binding> bindings) const {
  std::vector<Extent> addresses, host;
  for (const Binding &binding : bindings) {
    const Region *region = findRegion(binding.region);
    auto bytes = uint64_t(region->bytes);
    addresses.push_back({binding.base, binding.base + bytes, region});
    auto data = reinterpret_cast<uintptr_t>(binding.bytes.data());
    if (!isKept(*region))
      host.push_back({data, data + bytes, region});
  }
  if (Status status = checkDisjoint(std::move(addresses), "addresses"); !status)
    return status;
  return checkDisjoint(std::move(host), "bytes of the caller's memory");
}

Status Simulator::checkScalars(const Binding &context) const {
  for (const isa::RuntimeScalar &scalar : theProgram.scalars) {
    int32_t value;
    std::memcpy(&value, context.bytes.data() + scalar.offset, sizeof(value));
    if (value < scalar.least || value > scalar.greatest)
      return refuse("BIND-6", "'" + scalar.name + "' in the context is " +
                                  std::to_string(value) +
                                  ", the program takes " +
                                  std::to_string(scalar.least) + " to " +
                                  std::to_string(scalar.greatest));
  }
  return Status::success();
}

Status Simulator::bind(std::span<const Binding> bindings) {
  for (const Region &region : theRegions) {
    auto count = std::ranges::count(bindings, region.number, &Binding::region);
    if (count != 1)
      return refuse("BIND-1", nameOf(region) + " is bound " +
                                  std::to_string(count) + " times");
  }
  for (const Binding &binding : bindings)
    if (Status status = checkBinding(binding); !status)
      return status;
  if (Status status = checkOverlaps(bindings); !status)
    return status;
  for (const Binding &binding : bindings) {
    if (findRegion(binding.region)->role == Role::Context)
      if (Status status = checkScalars(binding); !status)
        return status;
    map(binding);
  }
  return Status::success();
}

void Simulator::map(const Binding &binding) {
  const Region &region = *findRegion(binding.region);
  Space &space = memory.space(binding.region);
  space.name = region.name;
  space.isMapped = true;
  space.isWritable = region.role != Role::Constants &&
                     region.role != Role::Input &&
                     region.role != Role::OldState;
  space.bytes = region.role == Role::Constants ? std::span(theProgram.constants)
                : region.role == Role::Arena
                    ? std::span(arena)
                    : binding.bytes.first(size_t(region.bytes));
  space.written.reset();
  if (region.role == Role::Arena || region.role == Role::Output ||
      region.role == Role::NewState)
    space.written.emplace(region.bytes);
}

Result<std::vector<Binding>>
Simulator::place(const std::map<int64_t, int64_t> &room) const {
  std::vector<machine::Window> windows = theMachine.global.windows;
  if (windows.empty())
    windows.push_back({0, uint64_t(1) << theMachine.global.addressBits});
  std::vector<Binding> bindings;
  for (const Region &region : theRegions) {
    auto more = room.find(region.number);
    auto bytes =
        uint64_t(std::max(region.bytes, more == room.end() ? 0 : more->second));
    auto alignment =
        uint64_t(std::max(region.alignment, theMachine.global.alignment));
    auto fits = [&](machine::Window window) {
      uint64_t base = (window.begin + alignment - 1) / alignment * alignment;
      return base <= window.end && bytes <= window.end - base;
    };
    auto window = std::ranges::find_if(windows, fits);
    if (window == windows.end())
      return refuse("BIND-4", nameOf(region) + " of " + std::to_string(bytes) +
                                  " bytes fits in no window of the global "
                                  "memory");
    uint64_t base = (window->begin + alignment - 1) / alignment * alignment;
    window->begin = base + bytes;
    bindings.push_back({region.number, base, {}});
  }
  return bindings;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// What memories hold that nobody wrote.
static void fillUnwritten(std::vector<uint8_t> &bytes,
                          std::optional<uint64_t> seed) {
  std::ranges::fill(bytes, seed ? uint8_t(*seed * 37 + 11) : 0xa5);
}

void Simulator::prepareOnChip(std::optional<uint64_t> seed) {
  for (auto [number, bytes] : {std::pair(isa::kSram, &sram),
                               std::pair(isa::kAccumulators, &accumulators)}) {
    Space &space = memory.space(number);
    fillUnwritten(*bytes, seed);
    space.bytes = *bytes;
    space.isMapped = true;
    space.written.emplace(int64_t(bytes->size()));
  }
  fillUnwritten(arena, seed);
}

Result<Outcome> Simulator::run(std::span<const Binding> bindings,
                               const RunOptions &options) {
  if (Status status = bind(bindings); !status)
    return status.takeError();
  memory.reset();
  prepareOnChip(options.perturbation);
  if (options.mode == Mode::Timing)
    for (size_t i = 0; i < Memory::kSpaces; ++i)
      memory.space(int64_t(i)).written.reset();
  SyncState sync(theMachine);
  return Run(theMachine, code, memory, sync, options).run();
}
