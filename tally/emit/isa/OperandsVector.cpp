//===- OperandsVector.cpp - what a vector command reads and writes --------===//

#include "tally/emit/isa/Operands.h"

using namespace tally;
using namespace tally::isa;
using machine::ElementType;

using Sizes = std::array<int64_t, 4>;

static Sizes sizesOf(const Command &command) {
  return {command.get(VectorField::Size0), command.get(VectorField::Size1),
          command.get(VectorField::Size2), command.get(VectorField::Size3)};
}

/// A group of seven fields: space, offset, four strides, type.
static Operand tensor(const Command &command, std::string_view name,
                      AccessKind kind, VectorField space, int64_t addend,
                      const Sizes &counts) {
  const Configuration &config = command.config;
  uint32_t at = uint32_t(space);
  Operand operand;
  operand.access.kind = kind;
  operand.access.operand = name;
  operand.access.space = config.get(at);
  operand.reach = Reach::Vector;
  operand.offset = config.get(at + 1) + addend;
  operand.counts = counts;
  for (uint32_t d = 0; d < 4; ++d)
    operand.strides[d] = config.get(at + 2 + d);
  operand.elementBytes = elementBytes(ElementType(config.get(at + 6)));
  operand.isElementwise = true;
  addBox(operand.access.boxes, operand.offset, counts, operand.strides,
         operand.elementBytes);
  return operand;
}

static Operand parameters(const Command &command) {
  Operand operand;
  operand.access.operand = "params";
  operand.access.space = command.get(VectorField::ParamsSpace);
  operand.reach = Reach::Parameters;
  operand.offset = command.get(VectorField::ParamsOffset);
  operand.elementBytes = 8;
  addBox(operand.access.boxes, operand.offset, {1, 1, 1, 1}, {0, 0, 0, 0},
         command.get(VectorField::ParamsBytes));
  return operand;
}

/// Only what windows reach.
static Operand pooled(const Command &c) {
  Sizes sizes = sizesOf(c);
  Operand operand = tensor(c, "a", AccessKind::Read, VectorField::ASpace,
                           c.firstAddend, sizes);
  operand.access.boxes.clear();
  operand.isElementwise = false;
  operand.counts[1] = c.get(VectorField::ExtentH);
  operand.counts[2] = c.get(VectorField::ExtentW);
  auto rows =
      touchedIndices(sizes[1], c.get(VectorField::KernelH),
                     c.get(VectorField::StepH), c.get(VectorField::DilationH),
                     c.get(VectorField::BeforeH), c.get(VectorField::ExtentH));
  auto columns =
      touchedIndices(sizes[2], c.get(VectorField::KernelW),
                     c.get(VectorField::StepW), c.get(VectorField::DilationW),
                     c.get(VectorField::BeforeW), c.get(VectorField::ExtentW));
  const auto &strides = operand.strides;
  for (const IndexRun &h : rows)
    for (const IndexRun &w : columns)
      addBox(operand.access.boxes,
             operand.offset + h.first * strides[1] + w.first * strides[2],
             {sizes[0], h.count, w.count, sizes[3]},
             {strides[0], h.step * strides[1], w.step * strides[2], strides[3]},
             operand.elementBytes);
  return operand;
}

static bool isInteger(ElementType type) { return type <= ElementType::I64; }
static ElementType typeOf(const Command &command, VectorField field) {
  return ElementType(command.get(field));
}

static const FunctionInfo *functionOf(const Command &command) {
  return findFunction(command.code, command.get(VectorField::Function));
}

static bool readsParameters(const Command &command) {
  switch (command.code) {
  case CommandCode::VectorBlock:
  case CommandCode::VectorRescale:
  case CommandCode::VectorLinear:
  case CommandCode::VectorProduct:
  case CommandCode::VectorSoftmax:
    return true;
  case CommandCode::VectorPool:
    return functionOf(command)->function == Function::PoolAverage &&
           isInteger(typeOf(command, VectorField::AType));
  default:
    return false;
  }
}

/// Operands beside the result: 1 is a alone.
static int operandCount(const Command &command) {
  if (command.code == CommandCode::VectorSelect)
    return 3;
  if (command.code == CommandCode::VectorLinear ||
      command.code == CommandCode::VectorProduct)
    return 2;
  const FunctionInfo *function = functionOf(command);
  return function ? function->arity : 1;
}

static Sizes resultSizes(const Command &command) {
  Sizes sizes = sizesOf(command);
  if (command.code == CommandCode::VectorReduce)
    for (size_t d = 0; d < 4; ++d)
      if ((command.get(VectorField::Axes) >> d & 1) != 0)
        sizes[d] = 1;
  return sizes;
}

std::vector<Operand> tally::isa::vectorOperands(const Command &c) {
  Sizes sizes = sizesOf(c);
  std::vector<Operand> operands;
  if (c.code == CommandCode::VectorPool)
    operands.push_back(pooled(c));
  else
    operands.push_back(tensor(c, "a", AccessKind::Read, VectorField::ASpace,
                              c.firstAddend, sizes));
  int count = operandCount(c);
  if (count >= 2)
    operands.push_back(
        tensor(c, "b", AccessKind::Read, VectorField::BSpace, 0, sizes));
  if (count >= 3)
    operands.push_back(
        tensor(c, "c", AccessKind::Read, VectorField::CSpace, 0, sizes));
  if (readsParameters(c))
    operands.push_back(parameters(c));
  operands.push_back(tensor(c, "out", AccessKind::Write, VectorField::OutSpace,
                            c.resultAddend, resultSizes(c)));
  // A reduction and a softmax read elements after they have written others.
  if (c.code == CommandCode::VectorReduce ||
      c.code == CommandCode::VectorSoftmax)
    operands.front().isElementwise = false;
  return operands;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// Sets of element types, bit t for type t.
enum Types : uint32_t {
  Codes = 0x0f,    // i8, u8, i16, u16
  Integers = 0x3f, // codes, i32, i64
  Sums = 0x30,     // i32, i64
  Single = 0x80,   // f32
  Bytes = 0x02,    // u8
  Numbers = 0xff,
};

/// What a command takes; `same` names operands whose types equal a's, `equal`
/// those whose element size is b's.
struct Signature {
  uint32_t a = Numbers, b = Numbers, out = Numbers;
  bool sameB = false, sameOut = false;
};

} // namespace

static Signature floatSignature(Function function) {
  bool compares = function == Function::FloatEq ||
                  function == Function::FloatLt ||
                  function == Function::FloatLe;
  return {Single, Single, compares ? Bytes : Single};
}

static Signature convertSignature(Function function) {
  switch (function) {
  case Function::ConvertBoolean:
    return {Numbers, 0, Bytes};
  case Function::ConvertDequantize:
    return {Codes | 0x10, 0, Single};
  case Function::ConvertQuantize:
    return {Single, 0, Codes};
  default:
    return {};
  }
}

static Signature foldSignature(Function function, bool ofIntegers) {
  uint32_t type = ofIntegers ? Integers : Single;
  switch (function) {
  case Function::ReduceMin:
  case Function::ReduceMax:
  case Function::PoolMax:
    return {type, 0, type, false, true};
  case Function::ReduceArgMin:
  case Function::ReduceArgMax:
    return {type, 0, Sums};
  case Function::PoolAverage:
    return {ofIntegers ? Codes : Single, 0, ofIntegers ? Codes : Single};
  default:
    return {type, 0, ofIntegers ? Sums : Single};
  }
}

/// Of commands with numbers as operands; copy and select move bytes.
static Signature signatureOf(const Command &command) {
  const FunctionInfo *function = functionOf(command);
  switch (command.code) {
  case CommandCode::VectorBlock:
    return {Integers, 0, Integers};
  case CommandCode::VectorRescale:
    return {Integers, 0, Codes};
  case CommandCode::VectorLinear:
  case CommandCode::VectorProduct:
    return {Codes, Codes, Codes};
  case CommandCode::VectorSoftmax:
    return {0x03, 0, Codes};
  case CommandCode::VectorInteger:
    return {Integers, Integers, Integers, true};
  case CommandCode::VectorFloat:
    return floatSignature(function->function);
  case CommandCode::VectorConvert:
    return convertSignature(function->function);
  default:
    return foldSignature(function->function,
                         isInteger(typeOf(command, VectorField::AType)));
  }
}

static Diagnostic wrongType(const Command &command, const char *operand,
                            ElementType type, const std::string &why) {
  return refuseCommand(command, "CMD-TYPE",
                       "'" + std::string(operand) + ".type' is " +
                           std::string(elementTypeName(type)) + why);
}

static Status checkType(const Command &command, const machine::Engine &engine,
                        const char *operand, VectorField field,
                        uint32_t allowed) {
  ElementType type = typeOf(command, field);
  if ((allowed >> uint32_t(type) & 1) == 0)
    return wrongType(command, operand, type,
                     ", which the command does not take there");
  if (!engine.takes(type))
    return wrongType(command, operand, type,
                     ", which engine '" + engine.name + "' does not take");
  return Status::success();
}

static Status checkSameType(const Command &command, const char *operand,
                            VectorField field) {
  ElementType a = typeOf(command, VectorField::AType);
  if (typeOf(command, field) == a)
    return Status::success();
  return wrongType(command, operand, typeOf(command, field),
                   ", but must be a's, " + std::string(elementTypeName(a)));
}

static Status checkNumbers(const Command &command,
                           const machine::Engine &engine) {
  Signature signature = signatureOf(command);
  if (Status status =
          checkType(command, engine, "a", VectorField::AType, signature.a);
      !status)
    return status;
  if (operandCount(command) >= 2) {
    if (Status status =
            checkType(command, engine, "b", VectorField::BType, signature.b);
        !status)
      return status;
    if (signature.sameB)
      if (Status status = checkSameType(command, "b", VectorField::BType);
          !status)
        return status;
  }
  if (signature.sameOut)
    if (Status status = checkSameType(command, "out", VectorField::OutType);
        !status)
      return status;
  return checkType(command, engine, "out", VectorField::OutType, signature.out);
}

/// Bytes are moved from `operand` to the result.
static Status checkMoved(const Command &command, const char *operand,
                         VectorField field) {
  ElementType from = typeOf(command, field);
  ElementType to = typeOf(command, VectorField::OutType);
  if (elementBytes(from) == elementBytes(to))
    return Status::success();
  return wrongType(command, operand, from,
                   ", whose size is not that of the result's " +
                       std::string(elementTypeName(to)));
}

static Status checkTypes(const Command &command,
                         const machine::Engine &engine) {
  if (command.code == CommandCode::VectorCopy)
    return checkMoved(command, "a", VectorField::AType);
  if (command.code != CommandCode::VectorSelect)
    return checkNumbers(command, engine);
  if (Status status =
          checkType(command, engine, "a", VectorField::AType, Bytes);
      !status)
    return status;
  if (Status status = checkMoved(command, "b", VectorField::BType); !status)
    return status;
  return checkMoved(command, "c", VectorField::CType);
}

//===----------------------------------------------------------------------===//
// Fields and units
//===----------------------------------------------------------------------===//

static bool requantizes(const Command &command) {
  switch (command.code) {
  case CommandCode::VectorRescale:
  case CommandCode::VectorLinear:
  case CommandCode::VectorProduct:
    return true;
  default:
    return command.code == CommandCode::VectorPool && readsParameters(command);
  }
}

static Status checkUnit(const Command &command,
                        const machine::Machine &machine) {
  if (!requantizes(command))
    return Status::success();
  int64_t bits = 8 * elementBytes(typeOf(command, VectorField::OutType));
  if (machine.requantizeFor(bits))
    return Status::success();
  return refuseCommand(command, "CMD-UNIT",
                       "machine '" + machine.name +
                           "' has no requantize unit for results of " +
                           std::to_string(bits) + " bits");
}

static bool hasFunctions(CommandCode code) { return findFunction(code, 0); }

static Status checkCounts(const Command &command) {
  for (uint32_t d = 0; d < 4; ++d)
    if (Status status =
            demand(command, uint32_t(VectorField::Size0) + d,
                   sizesOf(command)[d] >= 1, "at least 1 is needed");
        !status)
      return status;
  if (hasFunctions(command.code))
    if (Status status =
            demand(command, uint32_t(VectorField::Function),
                   functionOf(command) != nullptr, "there is no such function");
        !status)
      return status;
  if (command.code == CommandCode::VectorPool)
    return checkWindow(command, uint32_t(VectorField::KernelH));
  return Status::success();
}

Status tally::isa::checkVectorFields(const Command &command,
                                     const machine::Engine &engine,
                                     const machine::Machine &machine) {
  if (Status status = checkCounts(command); !status)
    return status;
  if (Status status = checkTypes(command, engine); !status)
    return status;
  if (readsParameters(command))
    if (Status status = demand(command, uint32_t(VectorField::ParamsBytes),
                               command.get(VectorField::ParamsBytes) >= 8,
                               "a block takes at least 8 bytes");
        !status)
      return status;
  return checkUnit(command, machine);
}
