//===- RunCommands.cpp - the work of commands and how it is watched -------===//

#include "tally/emit/isa/Effects.h"
#include "tally/run/simulator/Audit.h"
#include "tally/run/simulator/Run.h"
#include "tally/run/simulator/kernels/Kernels.h"

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using isa::Command;

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Bytes that boxes move; those in several boxes as often.
static int64_t bytesOf(const isa::Access &access) {
  int64_t bytes = 0;
  for (const isa::Box &box : access.boxes) {
    int64_t runs = 1;
    for (int64_t count : box.counts)
      runs *= count;
    bytes += runs * box.bytes;
  }
  return bytes;
}

static void addBytes(const isa::Access &access, Work &work) {
  bool isRead = access.kind == isa::AccessKind::Read;
  if (access.space == isa::kAccumulators)
    return; // a port of its own
  Resource resource = isa::isRegion(access.space) ? Resource::Global
                      : isRead                    ? Resource::SramRead
                                                  : Resource::SramWrite;
  work.bytes[size_t(resource)] += bytesOf(access);
}

/// The product of fields; kMost where it is more.
template <class Field>
static int64_t product(const Command &command,
                       std::initializer_list<Field> fields) {
  constexpr int64_t kMost = int64_t(1) << 62;
  int64_t all = 1;
  for (Field field : fields) {
    int64_t factor = command.get(field);
    all = factor > 0 && all > kMost / factor ? kMost : all * factor;
  }
  return all;
}

static int64_t macsOf(const Command &command) {
  using enum isa::MatrixField;
  return product(command,
                 {Groups, OutH, OutW, Columns, Channels, KernelH, KernelW});
}

/// The largest number of things that the host would hold or go through.
static int64_t volumeOf(const Command &command) {
  switch (command.info().kind) {
  case machine::EngineKind::Dma: {
    using enum isa::DmaField;
    return product(command, {Size0, Size1, Size2, Size3});
  }
  case machine::EngineKind::Matrix: {
    using enum isa::MatrixField;
    return std::max(product(command, {Groups, OutH, OutW, Columns}),
                    product(command, {Columns, Channels, KernelH, KernelW}));
  }
  case machine::EngineKind::Vector: {
    using enum isa::VectorField;
    bool hasWindow = command.code == isa::CommandCode::VectorPool;
    return hasWindow ? product(command,
                               {Size0, Size1, Size2, Size3, KernelH, KernelW})
                     : product(command, {Size0, Size1, Size2, Size3});
  }
  }
  return 0;
}

void Run::count(const isa::Access &access) {
  Moved &of = moved[size_t(access.space)];
  (access.kind == isa::AccessKind::Read ? of.read : of.written) +=
      bytesOf(access);
}

/// Scalar operands that are read late, as they are now; whether one changed.
bool Run::readLate(Entry &entry) const {
  Command &command = entry.command;
  int32_t first = command.firstAddend, result = command.resultAddend;
  if (entry.lateFirst)
    command.firstAddend = int32_t(processor.read(entry.lateFirst));
  if (entry.lateResult)
    command.resultAddend = int32_t(processor.read(entry.lateResult));
  return first != command.firstAddend || result != command.resultAddend;
}

std::optional<Wrong> Run::begin(Entry &entry, Work &work) {
  readLate(entry);
  if (auto wrong = check(entry.command))
    return wrong;
  work.cycles = isa::cyclesOf(entry.command, machine);
  for (const isa::Access &access : isa::effects(entry.command, machine)) {
    count(access);
    addBytes(access, work);
  }
  return std::nullopt;
}

/// Half of the commands are as fast as ever, others up to 17 times as slow and
/// up to 4096 cycles more, so that any of those in flight may end last.
void Run::perturb(Entry &entry) {
  if (!entry.isCommand())
    return;
  static constexpr uint64_t kMost[] = {0, 0, 0, 16, 256, 4096};
  uint64_t most = kMost[random() % std::size(kMost)];
  entry.delay = most ? int64_t(random() % most) : 0;
  entry.stretch = most ? int64_t(random() % std::min<uint64_t>(most, 256)) : 0;
  entry.isEarly = random() % 2;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The rules of commands, once scalar operands are known.
std::optional<Wrong> Run::check(const Command &command) const {
  Status status = isa::checkCommand(command, machine);
  if (!status)
    return Wrong{rule::kField,
                 status.error().message + " (" + status.error().rule + ")"};
  constexpr int64_t kMostVolume = int64_t(1) << 26;
  constexpr int64_t kMostCycles = int64_t(1) << 28;
  if (int64_t volume = volumeOf(command); volume > kMostVolume)
    return Wrong{rule::kLimit, "the command has " + std::to_string(volume) +
                                   " elements, more than " +
                                   std::to_string(kMostVolume)};
  if (int64_t cycles = isa::cyclesOf(command, machine); cycles > kMostCycles)
    return Wrong{rule::kLimit, "the command takes " + std::to_string(cycles) +
                                   " cycles, more than " +
                                   std::to_string(kMostCycles)};
  return std::nullopt;
}

std::optional<Wrong> Run::memoryWrong() const {
  const std::optional<AccessFault> &wrong = memory.fault();
  if (!wrong)
    return std::nullopt;
  const Space &space = memory.space(wrong->space);
  std::string bytes = "bytes [" + std::to_string(wrong->begin) + ", " +
                      std::to_string(wrong->end) + ") of ";
  bytes += space.isMapped ? space.name
                          : "space " + std::to_string(wrong->space) +
                                ", to which nothing is bound,";
  switch (wrong->error) {
  case AccessError::Unmapped:
    return Wrong{rule::kUnmapped,
                 bytes + " do not exist" +
                     (space.isMapped
                          ? ": it has " + std::to_string(space.bytes.size())
                          : "")};
  case AccessError::Misaligned:
    return Wrong{rule::kAlign, bytes + " do not begin at a multiple of the "
                                       "element's size"};
  case AccessError::Unwritten:
    return Wrong{rule::kUnwritten, bytes + " are read, and byte " +
                                       std::to_string(wrong->first) +
                                       " was never written"};
  case AccessError::ReadOnly:
    return Wrong{rule::kReadOnly, bytes + " are only read"};
  }
  return std::nullopt;
}

std::optional<Wrong> Run::execute(Entry &entry) {
  const Command &command = entry.command;
  if (options.failAt && executed++ == *options.failAt)
    return Wrong{rule::kInjected, "the engine fails, as the run was asked to"};
  bool isChecked = isTimed() && !readLate(entry);
  if (!isChecked)
    if (auto wrong = check(command))
      return wrong;
  if (!isTimed())
    for (const isa::Access &access : isa::effects(command, machine))
      count(access);
  if (command.info().kind == machine::EngineKind::Matrix)
    macs[command.queue] += macsOf(command);
  if (options.mode == Mode::Timing)
    return std::nullopt;
  Touched touched;
  memory.record(options.audit ? &touched : nullptr);
  KernelFault wrong = runCommand(command, memory, machine);
  memory.record(nullptr);
  if (auto access = memoryWrong())
    return access;
  if (wrong)
    return Wrong{rule::kData, std::move(*wrong)};
  if (options.audit)
    if (auto difference = audit(isa::effects(command, machine), touched))
      return Wrong{rule::kAudit, std::move(*difference)};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loads and stores of the processor
//===----------------------------------------------------------------------===//

std::optional<Wrong> Run::executeScalar(const isa::Instruction &instruction) {
  auto place = instruction.info().find(isa::OperandKind::Rs1);
  uint32_t base =
      place ? processor.read(uint32_t(instruction.operands[*place])) : 0;
  Touched touched;
  memory.record(options.audit ? &touched : nullptr);
  auto wrong = processor.execute(instruction, memory);
  memory.record(nullptr);
  if (wrong)
    return wrong;
  if (auto access = memoryWrong())
    return access;
  std::vector<isa::Access> declared;
  if (auto access = isa::effects(instruction, base))
    declared.push_back(std::move(*access));
  for (const isa::Access &access : declared)
    count(access);
  if (options.audit)
    if (auto difference = audit(declared, touched))
      return Wrong{rule::kAudit, std::move(*difference)};
  return std::nullopt;
}
