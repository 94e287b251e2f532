//===- Schedule.cpp - a graph becomes the program of a machine ------------===//
//
// Nodes in their order, each by the lowering of its operator, between what is
// loaded from the caller's buffers and what is stored there.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Schedule.h"
#include "tally/schedule/CallerBuffers.h"
#include "tally/schedule/Homes.h"
#include "tally/schedule/Layouts.h"
#include "tally/schedule/lower/Lacking.h"
#include "tally/schedule/lower/Lowerings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

const LoweringRow *tally::schedule::findLowering(StringRef name) {
  for (auto rows :
       {elementwiseLowerings(), floatReductionLowerings(), gatherLowerings(),
        gatherNdLowerings(), indexMaskLowerings(), integerSoftmaxLowerings(),
        joiningLowerings(), movementLowerings(), normalizationLowerings(),
        numberLowerings(), poolLowerings(), productLowerings(),
        reductionLowerings(), runtimeScaleLowerings(), scatterLowerings(),
        shiftLowerings(), transposedLowerings()})
    for (const LoweringRow &row : rows)
      if (row.name == name)
        return &row;
  return nullptr;
}

bool tally::schedule::hasCommands(StringRef name) {
  return name == nn::ConstantOp::getOperationName() || findLowering(name);
}

static Status lowerChain(Scheduler &s, ArrayRef<PiecewiseNode> chain,
                         Value inPlace) {
  Status status = runPieces(s, chain, inPlace);
  for (const PiecewiseNode &node : chain) {
    s.lowered.insert(node.op);
    s.lowered.insert(node.body.begin(), node.body.end());
  }
  return status;
}

static Status lowerNode(Scheduler &s, CallerBuffers &buffers,
                        const Arrangement &arrangement, Operation &op) {
  if (llvm::isa<nn::ConstantOp>(op) || arrangement.isMoved(&op))
    return Status::success();
  s.node = &op;
  ++s.step;
  auto chain = arrangement.chainAt(&op);
  buffers.permit(&op, chain);
  if (!chain.empty())
    return lowerChain(s, chain, arrangement.inPlaceAt(&op));
  s.lowered.insert(&op);
  const LoweringRow *row = findLowering(op.getName().getStringRef());
  if (!row)
    return s.unsupported(lackingFor(op.getName().getStringRef()).str(),
                         "compile with --fallback=cpu, or for the CPU");
  return row->lower(s, &op);
}

static Status lowerAll(Scheduler &s, func::FuncOp function) {
  Block &body = function.getBody().front();
  auto arrangement = Arrangement::of(s, function);
  if (!arrangement)
    return arrangement.takeError();
  s.away = chooseHomes(function, *arrangement, s.choices);
  auto areJoined = arrangement->joinWindows(s, function, s.away);
  if (!areJoined)
    return areJoined.takeError();
  if (*areJoined)
    s.away = chooseHomes(function, *arrangement, s.choices);
  s.channelsLast = channelsLastValues(function);
  s.parts = joinedParts(function, s.away, s.choices.residentBytes / 4);
  s.node = body.getTerminator();
  CallerBuffers buffers(s, function);
  if (Status status = buffers.check(); !status)
    return status;
  if (Status status = buffers.bindArguments(); !status)
    return status;
  if (Status status = buffers.bindResults(); !status)
    return status;
  for (Operation &op : body.without_terminator())
    if (Status status = lowerNode(s, buffers, *arrangement, op); !status)
      return status;
  s.node = body.getTerminator();
  ++s.step;
  return buffers.storeResults();
}

Result<npu::ProgramOp>
tally::schedule::schedule(ModuleOp module, const machine::Machine &machine,
                          const Choices &choices, KnownParameters *known) {
  module.getContext()->loadDialect<npu::NpuDialect>();
  auto function = module.lookupSymbol<func::FuncOp>("main");
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto program = npu::ProgramOp::create(
      builder, module.getLoc(), builder.getStringAttr(machine.name),
      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  builder.createBlock(&program.getBody());
  Scheduler scheduler(machine, choices, builder);
  scheduler.known = known;
  if (Status status = lowerAll(scheduler, function); !status) {
    program.erase();
    return status.takeError();
  }
  return program;
}
