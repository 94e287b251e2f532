//===- CommandRules.cpp - which commands may run --------------------------===//

#include "tally/emit/isa/Operands.h"

#include <algorithm>

using namespace tally;
using namespace tally::isa;
using machine::Direction;
using machine::EngineKind;
using machine::Machine;

Diagnostic tally::isa::refuseCommand(const Command &command, std::string rule,
                                     std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = std::move(rule);
  failure.message = std::string(engineKindName(command.info().kind)) +
                    " command '" + std::string(command.info().name) +
                    "': " + std::move(message);
  return failure;
}

Status tally::isa::demand(const Command &command, uint32_t field, bool holds,
                          const std::string &wanted) {
  if (holds)
    return Status::success();
  const FieldInfo &info = allFields(command.info().kind)[field];
  return refuseCommand(command, "CMD-FIELD",
                       "field '" + std::string(info.name) + "' is " +
                           std::to_string(command.config.get(field)) + "; " +
                           wanted);
}

Status tally::isa::checkWindow(const Command &command, uint32_t kernelH) {
  // kernel, step and dilation of h and w; then before; then extent.
  constexpr uint32_t positive[] = {0, 1, 2, 3, 4, 5, 8, 9};
  for (uint32_t place : positive)
    if (Status status = demand(command, kernelH + place,
                               command.config.get(kernelH + place) >= 1,
                               "at least 1 is needed");
        !status)
      return status;
  // Taps may touch as many separate pieces of memory.
  return demand(command, kernelH,
                command.config.get(kernelH) * command.config.get(kernelH + 1) <=
                    kMaxTaps,
                "a window has at most " + std::to_string(kMaxTaps) + " taps");
}

//===----------------------------------------------------------------------===//
// Where operands lie
//===----------------------------------------------------------------------===//

static std::string spaceName(int64_t space) {
  if (space == kSram)
    return "SRAM";
  return space == kAccumulators ? "accumulators"
                                : "region " + std::to_string(space);
}

static bool reaches(const Operand &operand) {
  int64_t space = operand.access.space;
  switch (operand.reach) {
  case Reach::Dma:
  case Reach::Parameters:
    return isRegion(space) || space == kSram;
  case Reach::Sram:
    return space == kSram;
  case Reach::Vector:
    return space == kSram ||
           (space == kAccumulators && operand.elementBytes == 4);
  case Reach::Accumulators:
    return space == kAccumulators;
  }
  return false;
}

static Status checkSpaces(const Command &command,
                          const std::vector<Operand> &operands) {
  for (const Operand &operand : operands)
    if (!reaches(operand))
      return refuseCommand(
          command, "CMD-SPACE",
          "'" + std::string(operand.access.operand) + "' is in " +
              (isSpace(operand.access.space)
                   ? spaceName(operand.access.space)
                   : "space " + std::to_string(operand.access.space)) +
              ", which the engine does not reach there");
  return Status::success();
}

static Status checkWay(const Command &command, const machine::Engine &engine,
                       const std::vector<Operand> &operands) {
  if (engine.kind != EngineKind::Dma || engine.dma.direction == Direction::Both)
    return Status::success();
  bool in = engine.dma.direction == Direction::In;
  const Access &forbidden = operands[in ? 1 : 0].access;
  if (!isRegion(forbidden.space) || forbidden.boxes.empty())
    return Status::success();
  return refuseCommand(command, "CMD-WAY",
                       "engine '" + engine.name + "' only moves " +
                           (in ? "in" : "out") + ", but '" +
                           std::string(forbidden.operand) + "' is " +
                           spaceName(forbidden.space));
}

static Status checkAlignment(const Command &command,
                             const std::vector<Operand> &operands) {
  for (const Operand &operand : operands) {
    bool aligned = operand.offset % operand.elementBytes == 0;
    for (size_t d = 0; d < 4; ++d)
      aligned &= operand.counts[d] <= 1 ||
                 operand.strides[d] % operand.elementBytes == 0;
    if (!aligned)
      return refuseCommand(command, "CMD-ALIGN",
                           "offset or strides of '" +
                               std::string(operand.access.operand) +
                               "' are not multiples of its " +
                               std::to_string(operand.elementBytes) + " bytes");
  }
  return Status::success();
}

static Status checkBounds(const Command &command, const Machine &machine,
                          const std::vector<Operand> &operands) {
  for (const Operand &operand : operands) {
    int64_t space = operand.access.space;
    int64_t size = space == kSram           ? machine.sram.bytes
                   : space == kAccumulators ? machine.accumulators.bytes
                                            : INT64_MAX;
    for (const Box &box : operand.access.boxes)
      if (box.begin() < 0 || box.end() > size)
        return refuseCommand(
            command, "CMD-BOUNDS",
            "'" + std::string(operand.access.operand) + "' takes bytes " +
                std::to_string(box.begin()) + " to " +
                std::to_string(box.end()) + " of " + spaceName(space) +
                (isRegion(space) ? ", which begins at 0"
                                 : ", which has " + std::to_string(size)));
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Whether no two indices share a byte because each dimension, by growing
/// stride, steps over all smaller ones.
static bool isNested(const Operand &operand) {
  std::vector<std::pair<int64_t, int64_t>> dimensions; // |stride|, count
  for (size_t d = 0; d < 4; ++d)
    if (operand.counts[d] > 1)
      dimensions.emplace_back(std::abs(operand.strides[d]), operand.counts[d]);
  std::ranges::sort(dimensions);
  int64_t covered = operand.elementBytes;
  for (auto [stride, count] : dimensions) {
    if (stride < covered)
      return false;
    covered = stride * (count - 1) + covered;
  }
  return true;
}

static bool isInPlace(const Operand &read, const Operand &write) {
  if (read.access.operand == write.access.operand)
    return true; // accumulators that are added to
  return read.isElementwise && read.offset == write.offset &&
         read.counts == write.counts && read.strides == write.strides &&
         read.elementBytes == write.elementBytes;
}

static Status checkOverlap(const Command &command,
                           const std::vector<Operand> &operands) {
  for (const Operand &write : operands) {
    if (write.access.kind != AccessKind::Write)
      continue;
    for (const Operand &other : operands)
      if (&other != &write && !isInPlace(other, write) &&
          overlap(other.access, write.access))
        return refuseCommand(command, "CMD-OVERLAP",
                             "'" + std::string(other.access.operand) +
                                 "' and '" + std::string(write.access.operand) +
                                 "' share bytes");
  }
  return Status::success();
}

static Status checkNested(const Command &command,
                          const std::vector<Operand> &operands) {
  for (const Operand &operand : operands)
    if (operand.access.kind == AccessKind::Write && !isNested(operand))
      return refuseCommand(command, "CMD-OVERLAP",
                           "strides of '" +
                               std::string(operand.access.operand) +
                               "' let two of its elements share bytes, or "
                               "interleave its dimensions");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static Status checkFields(const Command &command, const Machine &machine) {
  const machine::Engine &engine = machine.engineOf(command.queue);
  switch (command.info().kind) {
  case EngineKind::Dma:
    return checkDmaFields(command);
  case EngineKind::Matrix:
    return checkMatrixFields(command, engine, machine);
  case EngineKind::Vector:
    return checkVectorFields(command, engine, machine);
  }
  return Status::success();
}

/// The product of counts; 2^62 when it is more.
static int64_t volumeOf(std::span<const int64_t> counts) {
  constexpr int64_t most = int64_t(1) << 62;
  int64_t volume = 1;
  for (int64_t count : counts)
    volume = count > 0 && volume > most / count ? most : volume * count;
  return volume;
}

static Status checkVolume(const Command &command,
                          const std::vector<Operand> &operands) {
  for (const Operand &operand : operands)
    if (volumeOf(operand.counts) > kMaxElements)
      return refuseCommand(command, "CMD-FIELD",
                           "'" + std::string(operand.access.operand) +
                               "' has more than " +
                               std::to_string(kMaxElements) + " elements");
  return Status::success();
}

Status tally::isa::checkCommand(const Command &command,
                                const Machine &machine) {
  const machine::Engine &engine = machine.engineOf(command.queue);
  if (command.info().kind != engine.kind)
    return refuseCommand(command, "CMD-ENGINE",
                         "engine '" + engine.name + "' is a " +
                             std::string(engineKindName(engine.kind)) +
                             " engine");
  if (Status status = checkFields(command, machine); !status)
    return status;
  std::vector<Operand> operands = operandsOf(command, machine);
  if (Status status = checkSpaces(command, operands); !status)
    return status;
  if (Status status = checkVolume(command, operands); !status)
    return status;
  if (Status status = checkWay(command, engine, operands); !status)
    return status;
  if (Status status = checkAlignment(command, operands); !status)
    return status;
  if (Status status = checkBounds(command, machine, operands); !status)
    return status;
  if (Status status = checkNested(command, operands); !status)
    return status;
  return checkOverlap(command, operands);
}
