//===- Quantize.cpp - groups become quantized operators -------------------===//

#include "tally/rewrite/quantize/Quantize.h"
#include "tally/graph/Locations.h"
#include "tally/ops/QuantizedGroup.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/Remarks.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

namespace {
/// Builds one group's replacement right before its Quantize.
class GroupRewriter {
public:
  explicit GroupRewriter(const QuantizedGroup &group)
      : group(group), quantize(group.quantize), builder(quantize) {}

  void run();

private:
  Value operand(const GroupOperand &operand);
  Value core();
  /// A copy of `op` on other operands, with one result of type `type`.
  Value copy(Operation *op, ValueRange operands, Type type);

  const QuantizedGroup &group;
  QuantizeOp quantize;
  OpBuilder builder;
};
} // namespace

Value GroupRewriter::copy(Operation *op, ValueRange operands, Type type) {
  // Only the last operation of the replacement carries the tensor's name.
  Location loc = withOutputs(op->getLoc(), {std::string()});
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(type);
  Operation *made = builder.create(state);
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->getName().copyOpProperties(made->getPropertiesStorage(),
                                 op->getPropertiesStorage());
  return made->getResult(0);
}

Value GroupRewriter::operand(const GroupOperand &operand) {
  Value value = operand.source;
  for (Operation *movement : operand.path)
    value = copy(movement, value,
                 movedType(movement, cast<RankedTensorType>(value.getType())));
  return value;
}

Value GroupRewriter::core() {
  SmallVector<Value> operands;
  for (const GroupOperand &entry : group.operands)
    if (entry.source)
      operands.push_back(operand(entry));
  if (group.core)
    return copy(group.core, operands, group.coreType);
  if (operands[0].getType() == group.coreType)
    return operands[0];
  Location loc = withOutputs(quantize.getLoc(), {std::string()});
  return RequantizeOp::create(builder, loc, group.coreType, operands[0]);
}

/// The node that a group is called after.
static Operation *leader(const QuantizedGroup &group) {
  if (group.core)
    return group.core;
  return group.after.empty() ? group.quantize : group.after.front();
}

void GroupRewriter::run() {
  Value value = core();
  Type grid = group.coreType.getElementType();
  for (Operation *op : group.after)
    value =
        copy(op, value,
             cast<RankedTensorType>(op->getResult(0).getType()).clone(grid));
  Operation *last = value.getDefiningOp();
  bool isNew = last && last->getNextNode() == quantize;
  remarkAt(leader(group), RemarkCode::QuantizedGroup)
      << edge(quantize.getResult());
  if (isNew)
    last->setLoc(
        withOutputs(last->getLoc(), {tensorName(quantize.getResult()).str()}));
  quantize.getResult().replaceAllUsesWith(value);
  quantize.erase();
}

void tally::rewrite::quantize(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    SmallVector<QuantizeOp> candidates(
        function.getBody().front().getOps<QuantizeOp>());
    for (QuantizeOp candidate : candidates)
      if (auto group = findQuantizedGroup(candidate))
        GroupRewriter(*group).run();
    foldConstants(function);
    removeDead(function);
    noteFloatNodes(function);
  }
  module->setAttr(kGroupsReplaced, UnitAttr::get(module.getContext()));
}

namespace {
struct QuantizePass : PassWrapper<QuantizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(QuantizePass)
  StringRef getArgument() const override { return "nn-quantize"; }
  StringRef getDescription() const override {
    return "turn dequantize-operate-quantize groups into operators on codes";
  }
  void runOnOperation() override { rewrite::quantize(getOperation()); }
};
} // namespace

void tally::rewrite::registerQuantizePass() {
  PassRegistration<QuantizePass>();
}
