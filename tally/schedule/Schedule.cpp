//===- Schedule.cpp - a graph becomes the program of a machine ------------===//
//
// Nodes in their order, each by the lowering of its operator. Inputs are copied
// into SRAM, each result out of it into the caller's buffer.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Schedule.h"
#include "tally/graph/Locations.h"
#include "tally/schedule/Homes.h"
#include "tally/schedule/lower/Lowerings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

Lowering tally::schedule::findLowering(StringRef name) {
  for (auto rows :
       {elementwiseLowerings(), joiningLowerings(), movementLowerings(),
        poolLowerings(), productLowerings(), reductionLowerings()})
    for (const LoweringRow &row : rows)
      if (row.name == name)
        return row.lower;
  return nullptr;
}

/// Whether a window operator reads the value, at most through elementwise ones:
/// then its channels lie innermost.
static bool feedsWindow(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (llvm::isa<nn::ConvOp, nn::MaxPoolOp, nn::AveragePoolOp>(user))
      return true;
    if (auto fused = dyn_cast<nn::FusedOp>(user))
      return llvm::isa<nn::ConvOp>(fused.chain().front());
    return user->hasTrait<nn::ElementwiseStage>() &&
           feedsWindow(user->getResult(0));
  });
}

static std::string nameOf(func::FuncOp function, bool isInput, unsigned i) {
  auto name = isInput ? function.getArgAttrOfType<StringAttr>(i, "nn.name")
                      : function.getResultAttrOfType<StringAttr>(i, "nn.name");
  return name ? name.str() : (isInput ? "input" : "output") + std::to_string(i);
}

static Status loadInputs(Scheduler &s, func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto type = cast<RankedTensorType>(argument.getType());
    auto element = elementTypeOf(type);
    if (!element)
      return s.unsupported("an input of this element type");
    std::string name = nameOf(function, true, i);
    int64_t bytes = type.getNumElements() * machine::elementBytes(*element);
    Value region = s.storage(name, bytes, 1, isa::kFirstCallerRegion + i);
    auto from = s.rowMajor(region, type);
    if (!from)
      return from.takeError();
    auto to = s.allocate(name, type,
                         type.getRank() >= 4 && feedsWindow(argument)
                             ? Layout::ChannelsLast
                             : Layout::RowMajor);
    if (!to)
      return to.takeError();
    if (Status status = s.copy(*from, *to); !status)
      return status;
    s.bind(argument, *to);
  }
  return Status::success();
}

static Status storeOutputs(Scheduler &s, func::FuncOp function) {
  auto results = function.getBody().front().getTerminator()->getOperands();
  for (auto [i, result] : llvm::enumerate(results)) {
    auto from = s.value(result);
    if (!from)
      return from.takeError();
    auto type = cast<RankedTensorType>(result.getType());
    int64_t bytes = from->count() * from->bytes();
    Value region =
        s.storage(nameOf(function, false, i), bytes, 1,
                  isa::kFirstCallerRegion + function.getNumArguments() + i);
    auto to = s.rowMajor(region, type);
    if (!to)
      return to.takeError();
    if (Status status = s.copy(*from, *to); !status)
      return status;
  }
  return Status::success();
}

static Status lowerNode(Scheduler &s, Operation &op) {
  if (llvm::isa<nn::ConstantOp>(op))
    return Status::success();
  s.node = &op;
  ++s.step;
  Lowering lower = findLowering(op.getName().getStringRef());
  if (!lower)
    return s.unsupported("it has no commands for the operator",
                         "compile for the CPU");
  return lower(s, &op);
}

static Status lowerAll(Scheduler &s, func::FuncOp function) {
  Block &body = function.getBody().front();
  s.node = body.getTerminator();
  if (Status status = loadInputs(s, function); !status)
    return status;
  for (Operation &op : body.without_terminator())
    if (Status status = lowerNode(s, op); !status)
      return status;
  s.node = body.getTerminator();
  ++s.step;
  return storeOutputs(s, function);
}

Result<npu::ProgramOp>
tally::schedule::schedule(ModuleOp module, const machine::Machine &machine,
                          const Choices &choices) {
  module.getContext()->loadDialect<npu::NpuDialect>();
  auto function = module.lookupSymbol<func::FuncOp>("main");
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto program = npu::ProgramOp::create(
      builder, module.getLoc(), builder.getStringAttr(machine.name),
      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  builder.createBlock(&program.getBody());
  Scheduler scheduler(machine, choices, builder);
  scheduler.away = chooseHomes(function, choices);
  if (Status status = lowerAll(scheduler, function); !status) {
    program.erase();
    return status.takeError();
  }
  return program;
}
