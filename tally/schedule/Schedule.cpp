//===- Schedule.cpp - a graph becomes the program of a machine ------------===//
//
// Nodes in their order, each by the lowering of its operator. Inputs with room
// in SRAM are copied there, others read from the caller's buffers; outputs are
// copied out, or written there piece by piece.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Schedule.h"
#include "tally/graph/Locations.h"
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
        reductionLowerings(), runtimeScaleLowerings(), transposedLowerings()})
    for (const LoweringRow &row : rows)
      if (row.name == name)
        return &row;
  return nullptr;
}

bool tally::schedule::hasCommands(StringRef name) {
  return name == nn::ConstantOp::getOperationName() || findLowering(name);
}

static std::string nameOf(func::FuncOp function, bool isInput, unsigned i) {
  auto name = isInput ? function.getArgAttrOfType<StringAttr>(i, "nn.name")
                      : function.getResultAttrOfType<StringAttr>(i, "nn.name");
  return name ? name.str() : (isInput ? "input" : "output") + std::to_string(i);
}

/// Inputs and outputs are regions, of which a program has a few.
static Status checkRegions(const Scheduler &s, func::FuncOp function) {
  int64_t regions = function.getNumArguments() + function.getNumResults();
  constexpr int64_t most = isa::kSram - isa::kFirstCallerRegion;
  if (regions <= most)
    return Status::success();
  return s.unsupported("there are " + std::to_string(regions) +
                           ", a program has at most " + std::to_string(most),
                       "join some of them, or name fewer with --outputs");
}

static Status bindInput(Scheduler &s, func::FuncOp function,
                        BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  auto type = cast<RankedTensorType>(argument.getType());
  auto element = elementTypeOf(type);
  if (!element)
    return s.unsupported("an input of this element type");
  std::string name = nameOf(function, true, i);
  int64_t bytes = type.getNumElements() * machine::elementBytes(*element);
  Value region = s.storage(name, bytes, 1, isa::kFirstCallerRegion + i);
  auto home = s.rowMajor(region, type);
  if (!home)
    return home.takeError();
  if (!s.away.contains(argument)) {
    auto copy =
        s.allocate(name, type,
                   s.channelsLast.contains(argument) ? Layout::ChannelsLast
                                                     : Layout::RowMajor);
    if (!copy)
      return copy.takeError();
    if (Status status = s.copy(*home, *copy); !status)
      return status;
    home = copy;
  }
  s.bind(argument, *home);
  return Status::success();
}

/// Whether the value is one output and nothing else: its producer may write it
/// straight to the caller.
static bool isOutputAlone(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !value.hasOneUse() ||
      !value.getUsers().begin()->hasTrait<OpTrait::IsTerminator>())
    return false;
  const LoweringRow *row = findLowering(producer->getName().getStringRef());
  return row && row->reach == Reach::Pieces;
}

/// The caller's buffer of each output.
static Result<SmallVector<Tensor>> bindOutputs(Scheduler &s,
                                               func::FuncOp function) {
  SmallVector<Tensor> buffers;
  auto results = function.getBody().front().getTerminator()->getOperands();
  for (auto [i, result] : llvm::enumerate(results)) {
    auto type = cast<RankedTensorType>(result.getType());
    auto element = elementTypeOf(type);
    if (!element)
      return s.unsupported("an output of this element type");
    int64_t bytes = type.getNumElements() * machine::elementBytes(*element);
    Value region =
        s.storage(nameOf(function, false, i), bytes, 1,
                  isa::kFirstCallerRegion + function.getNumArguments() + i);
    auto buffer = s.rowMajor(region, type);
    if (!buffer)
      return buffer.takeError();
    if (isOutputAlone(result))
      s.destinations[result] = region;
    buffers.push_back(*buffer);
  }
  return buffers;
}

static Status storeOutputs(Scheduler &s, func::FuncOp function,
                           ArrayRef<Tensor> buffers) {
  auto results = function.getBody().front().getTerminator()->getOperands();
  for (auto [result, buffer] : llvm::zip_equal(results, buffers)) {
    auto from = s.home(result);
    if (!from)
      return from.takeError();
    if (from->storage == buffer.storage)
      continue;
    if (Status status = copyPieces(s, *from, buffer); !status)
      return status;
  }
  return Status::success();
}

static Status lowerNode(Scheduler &s, const Arrangement &arrangement,
                        Operation &op) {
  if (llvm::isa<nn::ConstantOp>(op) || arrangement.isMoved(&op))
    return Status::success();
  s.node = &op;
  ++s.step;
  if (auto chain = arrangement.chainAt(&op); !chain.empty())
    return runPieces(s, chain, arrangement.inPlaceAt(&op));
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
  if (Status status = checkRegions(s, function); !status)
    return status;
  for (BlockArgument argument : function.getArguments())
    if (Status status = bindInput(s, function, argument); !status)
      return status;
  auto buffers = bindOutputs(s, function);
  if (!buffers)
    return buffers.takeError();
  for (Operation &op : body.without_terminator())
    if (Status status = lowerNode(s, *arrangement, op); !status)
      return status;
  s.node = body.getTerminator();
  ++s.step;
  return storeOutputs(s, function, *buffers);
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
