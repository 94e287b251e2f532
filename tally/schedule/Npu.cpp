//===- Npu.cpp - the npu dialect ------------------------------------------===//

#include "tally/schedule/Npu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::npu;

#include "tally/schedule/NpuDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tally/schedule/NpuTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tally/schedule/NpuOps.cpp.inc"

void NpuDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tally/schedule/NpuTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tally/schedule/NpuOps.cpp.inc"
      >();
}

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!llvm::isa<StorageOp, CommandOp>(op))
      return op.emitOpError("is neither a storage nor a command [NPU-1]");
  return success();
}

LogicalResult StorageOp::verify() {
  if (getBytes() <= 0 || getAlignment() <= 0 ||
      !llvm::isPowerOf2_64(getAlignment()))
    return emitOpError("needs positive bytes and an alignment that is a power "
                       "of two [NPU-2]");
  bool isConstant = getSpace() == isa::kConstantsRegion;
  if (isConstant != getContents().has_value())
    return emitOpError("has contents if and only if it is a constant [NPU-3]");
  if (!isConstant)
    return success();
  auto type = dyn_cast<RankedTensorType>(getContents()->getType());
  if (!type || !type.getElementType().isInteger(8) ||
      type.getNumElements() > int64_t(getBytes()))
    return emitOpError("has contents that are not bytes, or too many [NPU-3]");
  return success();
}

LogicalResult CommandOp::verify() {
  const isa::CommandInfo *info = isa::findCommand(getCode());
  if (!info || machine::engineKindName(info->kind) != getKind().str())
    return emitOpError() << "code " << getCode() << " is no command of a "
                         << getKind() << " engine [NPU-4]";
  for (NamedAttribute field : getFields())
    if (!llvm::isa<IntegerAttr>(field.getValue()) ||
        !isa::findField(info->kind, field.getName().strref()))
      return emitOpError() << "has no field " << field.getName() << " [NPU-4]";
  llvm::StringSet<> seen;
  for (Attribute prefix : getOperands())
    if (!seen.insert(cast<StringAttr>(prefix).getValue()).second)
      return emitOpError() << "names " << prefix << " twice [NPU-5]";
  if (seen.size() != getStorages().size())
    return emitOpError("needs a name for each storage [NPU-5]");
  bool isMoving = getCounter().has_value();
  bool fits = isMoving == getSteps().has_value() &&
              (!isMoving || (getCounter()->size() == 2 &&
                             getSteps()->size() == getStorages().size()));
  if (!fits)
    return emitOpError("has a counter without its largest value, or without a "
                       "step for each storage [NPU-6]");
  return success();
}

StorageOp tally::npu::storageOf(CommandOp op, StringRef prefix) {
  for (auto [name, storage] : llvm::zip(op.getOperands(), op.getStorages()))
    if (cast<StringAttr>(name).getValue() == prefix)
      return storage.getDefiningOp<StorageOp>();
  return {};
}

/// Puts the space of each storage, and what its place adds to offsets.
static void placeOperands(CommandOp op, bool placed, isa::Command &command) {
  machine::EngineKind kind = command.config.kind();
  for (auto [name, value] : llvm::zip(op.getOperands(), op.getStorages())) {
    auto storage = value.getDefiningOp<StorageOp>();
    std::string prefix = cast<StringAttr>(name).str();
    if (auto space = isa::findField(kind, prefix + ".space"))
      (void)command.config.set(*space, int64_t(storage.getSpace()));
    auto offset = isa::findField(kind, prefix + ".offset");
    if (placed && offset && storage.getOffset())
      (void)command.config.set(*offset, command.config.get(*offset) +
                                            int64_t(*storage.getOffset()));
  }
}

isa::Command tally::npu::commandOf(CommandOp op, bool placed) {
  isa::Command command;
  command.code = isa::CommandCode(op.getCode());
  command.queue = uint32_t(op.getQueue());
  machine::EngineKind kind = isa::infoOf(command.code).kind;
  command.config = isa::Configuration(kind);
  for (NamedAttribute field : op.getFields())
    (void)command.config.set(*isa::findField(kind, field.getName().strref()),
                             cast<IntegerAttr>(field.getValue()).getInt());
  placeOperands(op, placed, command);
  return command;
}

/// All bytes that an access meets when its offset moves by `reach` bytes.
static void widen(isa::Access &access, int64_t reach) {
  for (isa::Box &box : access.boxes) {
    int64_t begin = box.begin(), end = box.end();
    box = isa::Box();
    box.offset = begin + std::min<int64_t>(reach, 0);
    box.bytes = end - begin + std::abs(reach);
  }
}

std::vector<isa::Access> tally::npu::accessesOf(CommandOp op,
                                                const machine::Machine &machine,
                                                bool placed) {
  auto accesses = isa::effects(commandOf(op, placed), machine);
  if (!op.getCounter())
    return accesses;
  int64_t most = (*op.getCounter())[1];
  for (auto [name, step] : llvm::zip_equal(op.getOperands(), *op.getSteps()))
    for (isa::Access &access : accesses)
      if (step != 0 &&
          cast<StringAttr>(name).getValue() == StringRef(access.operand))
        widen(access, step * most);
  return accesses;
}
