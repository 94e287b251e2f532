//===- OperandsMatrix.cpp - what a matrix command reads and writes --------===//

#include "tally/emit/isa/Operands.h"

#include <algorithm>

using namespace tally;
using namespace tally::isa;
using machine::ElementType;

static ElementType typeOf(const Command &command, MatrixField field) {
  return ElementType(command.get(field));
}

static Operand operandOf(std::string_view name, AccessKind kind, int64_t space,
                         Reach reach, int64_t offset, int64_t bytes) {
  Operand operand;
  operand.access.kind = kind;
  operand.access.operand = name;
  operand.access.space = space;
  operand.reach = reach;
  operand.offset = offset;
  operand.elementBytes = bytes;
  return operand;
}

/// groups x out.h x out.w pixels of `columns` neighbours. `offset` is the first
/// of four fields: offset and strides of group, row and pixel.
static Operand pixels(const Command &command, std::string_view name,
                      AccessKind kind, int64_t space, Reach reach,
                      MatrixField offset, int64_t addend, int64_t bytes) {
  const Configuration &config = command.config;
  uint32_t at = uint32_t(offset);
  Operand operand =
      operandOf(name, kind, space, reach, config.get(at) + addend, bytes);
  operand.counts = {
      command.get(MatrixField::Groups), command.get(MatrixField::OutH),
      command.get(MatrixField::OutW), command.get(MatrixField::Columns)};
  operand.strides = {config.get(at + 1), config.get(at + 2), config.get(at + 3),
                     bytes};
  addBox(operand.access.boxes, operand.offset, operand.counts, operand.strides,
         bytes);
  return operand;
}

/// The input's channels of each pixel that a tap reaches.
static Operand input(const Command &c) {
  bool depthwise = c.get(MatrixField::Depthwise) != 0;
  int64_t bytes = elementBytes(typeOf(c, MatrixField::InType));
  Operand operand =
      operandOf("in", AccessKind::Read, kSram, Reach::Sram,
                c.get(MatrixField::InOffset) + c.firstAddend, bytes);
  int64_t channels =
      c.get(depthwise ? MatrixField::Columns : MatrixField::Channels);
  operand.strides = {c.get(MatrixField::InStrideG),
                     c.get(MatrixField::InStrideH),
                     c.get(MatrixField::InStrideW), bytes};
  operand.counts = {c.get(MatrixField::Groups), c.get(MatrixField::ExtentH),
                    c.get(MatrixField::ExtentW), channels};
  auto rows =
      touchedIndices(c.get(MatrixField::OutH), c.get(MatrixField::KernelH),
                     c.get(MatrixField::StepH), c.get(MatrixField::DilationH),
                     c.get(MatrixField::BeforeH), c.get(MatrixField::ExtentH));
  auto columns =
      touchedIndices(c.get(MatrixField::OutW), c.get(MatrixField::KernelW),
                     c.get(MatrixField::StepW), c.get(MatrixField::DilationW),
                     c.get(MatrixField::BeforeW), c.get(MatrixField::ExtentW));
  for (const IndexRun &h : rows)
    for (const IndexRun &w : columns)
      addBox(operand.access.boxes,
             operand.offset + h.first * operand.strides[1] +
                 w.first * operand.strides[2],
             {operand.counts[0], h.count, w.count, channels},
             {operand.strides[0], h.step * operand.strides[1],
              w.step * operand.strides[2], bytes},
             bytes);
  return operand;
}

static Operand weights(const Command &c) {
  int64_t bytes = elementBytes(typeOf(c, MatrixField::WeightsType));
  Operand operand = operandOf("weights", AccessKind::Read, kSram, Reach::Sram,
                              c.get(MatrixField::WeightsOffset), bytes);
  operand.counts = {1, c.get(MatrixField::Groups),
                    c.get(MatrixField::KernelH) * c.get(MatrixField::KernelW) *
                        c.get(MatrixField::Channels),
                    c.get(MatrixField::Columns)};
  operand.strides = {0, c.get(MatrixField::WeightsStrideG),
                     c.get(MatrixField::WeightsStrideK), bytes};
  addBox(operand.access.boxes, operand.offset, operand.counts, operand.strides,
         bytes);
  return operand;
}

static Operand parameters(const Command &c) {
  Operand operand =
      operandOf("params", AccessKind::Read, c.get(MatrixField::ParamsSpace),
                Reach::Parameters, c.get(MatrixField::ParamsOffset), 8);
  addBox(operand.access.boxes, operand.offset, {1, 1, 1, 1}, {0, 0, 0, 0},
         c.get(MatrixField::ParamsBytes));
  return operand;
}

/// A group of four fields that is in SRAM, and its type.
static Operand inSram(const Command &c, std::string_view name, AccessKind kind,
                      MatrixField offset, MatrixField type, int64_t addend) {
  return pixels(c, name, kind, kSram, Reach::Sram, offset, addend,
                elementBytes(typeOf(c, type)));
}

static Operand accumulators(const Command &c, AccessKind kind, int64_t addend) {
  return pixels(c, "acc", kind, kAccumulators, Reach::Accumulators,
                MatrixField::AccOffset, addend, 4);
}

/// Whether the array takes several passes to form one sum.
static bool hasPasses(const Command &c, const machine::MatrixUnit &unit) {
  int64_t taps = c.get(MatrixField::KernelH) * c.get(MatrixField::KernelW);
  return c.get(MatrixField::Depthwise) != 0
             ? taps > unit.depthwiseTaps
             : taps * c.get(MatrixField::Channels) > unit.rows;
}

/// Where partial sums wait for the next pass of a command that emits: in the
/// sums it began with, or in those of one block of columns of one group.
static Operand partialSums(const Command &c, const machine::MatrixUnit &unit) {
  Operand operand = accumulators(c, AccessKind::Write, 0);
  operand.access.isScratch = true;
  if (c.get(MatrixField::Accumulate) != 0)
    return operand;
  int64_t block = c.get(MatrixField::Depthwise) != 0 ? unit.depthwiseChannels
                                                     : unit.columns;
  operand.counts[0] = 1;
  operand.counts[3] = std::min(operand.counts[3], block);
  operand.access.boxes.clear();
  addBox(operand.access.boxes, operand.offset, operand.counts, operand.strides,
         operand.elementBytes);
  return operand;
}

std::vector<Operand>
tally::isa::matrixOperands(const Command &c, const machine::MatrixUnit &unit) {
  using enum MatrixField;
  bool emits = c.get(Emit) != 0;
  std::vector<Operand> operands = {input(c), weights(c)};
  if (c.get(Accumulate) != 0)
    operands.push_back(
        accumulators(c, AccessKind::Read, emits ? 0 : c.resultAddend));
  if (!emits) {
    operands.push_back(accumulators(c, AccessKind::Write, c.resultAddend));
    return operands;
  }
  operands.push_back(parameters(c));
  if (c.get(UsesResidual) != 0)
    operands.push_back(
        inSram(c, "res", AccessKind::Read, ResOffset, ResType, 0));
  if (hasPasses(c, unit))
    operands.push_back(partialSums(c, unit));
  operands.push_back(
      inSram(c, "out", AccessKind::Write, OutOffset, OutType, c.resultAddend));
  if (c.get(UsesSecond) != 0)
    operands.push_back(
        inSram(c, "out2", AccessKind::Write, Out2Offset, Out2Type, 0));
  return operands;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static Status checkCounts(const Command &command) {
  for (MatrixField field :
       {MatrixField::Groups, MatrixField::OutH, MatrixField::OutW,
        MatrixField::Columns, MatrixField::Channels})
    if (Status status = demand(command, uint32_t(field),
                               command.get(field) >= 1, "at least 1 is needed");
        !status)
      return status;
  if (Status status = checkWindow(command, uint32_t(MatrixField::KernelH));
      !status)
    return status;
  if (command.get(MatrixField::Depthwise) == 0)
    return Status::success();
  return demand(command, uint32_t(MatrixField::Channels),
                command.get(MatrixField::Channels) == 1,
                "a depthwise command reads 1 channel for each result");
}

static Diagnostic wrongType(const Command &command, MatrixField field,
                            const char *wanted) {
  const FieldInfo &info =
      allFields(machine::EngineKind::Matrix)[uint32_t(field)];
  return refuseCommand(
      command, "CMD-TYPE",
      "'" + std::string(info.name) + "' is " +
          std::string(elementTypeName(ElementType(command.get(field)))) + "; " +
          wanted);
}

static bool isCode8(ElementType type) {
  return type == ElementType::I8 || type == ElementType::U8;
}
static bool isResult(ElementType type) { return type <= ElementType::I32; }

static Status checkInputTypes(const Command &command,
                              const machine::Engine &engine) {
  for (MatrixField field : {MatrixField::InType, MatrixField::WeightsType}) {
    ElementType type = typeOf(command, field);
    if (!isCode8(type) || !engine.takes(type))
      return wrongType(command, field, "the array takes 8-bit codes");
  }
  return Status::success();
}

static Status checkResultType(const Command &command, MatrixField field,
                              const machine::Engine &engine) {
  ElementType type = typeOf(command, field);
  if (!isResult(type) || !engine.takes(type))
    return wrongType(command, field,
                     "the output stage takes integers of up to 32 bits");
  return Status::success();
}

static Status checkOutputStage(const Command &command,
                               const machine::Engine &engine) {
  using enum MatrixField;
  if (command.get(Emit) == 0)
    return Status::success();
  std::vector<MatrixField> types = {OutType};
  if (command.get(UsesResidual) != 0)
    types.push_back(ResType);
  if (command.get(UsesSecond) != 0)
    types.push_back(Out2Type);
  for (MatrixField field : types)
    if (Status status = checkResultType(command, field, engine); !status)
      return status;
  return demand(command, uint32_t(ParamsBytes), command.get(ParamsBytes) >= 8,
                "the stages take at least 8 bytes");
}

Status tally::isa::checkMatrixFields(const Command &command,
                                     const machine::Engine &engine,
                                     const machine::Machine &) {
  if (Status status = checkCounts(command); !status)
    return status;
  if (command.get(MatrixField::Depthwise) != 0 &&
      engine.matrix.depthwiseChannels == 0)
    return refuseCommand(command, "CMD-UNIT",
                         "engine '" + engine.name +
                             "' has no depthwise mode; use groups");
  if (Status status = checkInputTypes(command, engine); !status)
    return status;
  return checkOutputStage(command, engine);
}
