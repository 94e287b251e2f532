//===- Epilogue.cpp - what follows a product in the output stage ----------===//

#include "tally/schedule/lower/Epilogue.h"
#include "tally/graph/Types.h"
#include "tally/ops/CodeProblems.h"
#include "tally/ops/Contract.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static std::optional<eval::Quantization> gridOf(Type type) {
  auto element = nn::quantizedElement(type);
  if (!element)
    return std::nullopt;
  return nn::gridOf(element);
}

static bool isCode(Type type) {
  auto grid = gridOf(type);
  return grid && grid->perTensor();
}

static bool isTable(Operation *op) {
  return llvm::isa<nn::TableOperator, nn::RequantizeOp>(op);
}

std::optional<std::string> tally::schedule::lacksStage(Operation *stage,
                                                       Value chained) {
  auto result = stage->getResult(0).getType();
  if (!isCode(result) || !isCode(chained.getType()))
    return "the output stage works on codes of one grid";
  if (isTable(stage) && stage->getNumOperands() == 1)
    return std::nullopt;
  if (!llvm::isa<nn::AddOp, nn::SubOp, nn::MulOp>(stage))
    return "the output stage has no " + stage->getName().stripDialect().str();
  Value other = stage->getOperand(stage->getOperand(0) == chained ? 1 : 0);
  auto type = cast<RankedTensorType>(other.getType());
  if (!isCode(type) ||
      type.getShape() != cast<RankedTensorType>(result).getShape())
    return "the output stage adds codes of the result's shape";
  return std::nullopt;
}

static tally::Diagnostic atNode(Scheduler &s, tally::Diagnostic failure) {
  return s.unsupported(failure.message + " [" + failure.rule + "]");
}

/// The block of a function between two grids, of the kinds that the operator
/// `name` may have.
static Result<tally::quant::UnaryBlock>
functionBlock(Scheduler &s, const tally::quant::UnaryFunction &function,
              StringRef name, const eval::Quantization &from,
              const eval::Quantization &to) {
  if (!from.perTensor() || !to.perTensor())
    return s.unsupported("a grid that differs by channel");
  auto block = tally::quant::deriveBlock(
      function, nn::quantGrid(from), nn::quantGrid(to),
      nn::findContract(name)->blockKinds(), tally::quant::Profile::Ideal);
  if (!block)
    return atNode(s, block.takeError());
  return block;
}

Result<tally::quant::UnaryBlock> tally::schedule::unitUnary(Scheduler &s,
                                                            Operation *op) {
  auto in = gridOf(op->getOperand(0).getType());
  auto out = gridOf(op->getResult(0).getType());
  if (!in || !out)
    return s.unsupported("numbers that are not codes");
  tally::quant::UnaryFunction function{tally::quant::UnaryKind::Identity};
  if (auto table = dyn_cast<nn::TableOperator>(op))
    function = table.unaryFunction();
  return functionBlock(s, function, op->getName().stripDialect(), *in, *out);
}

Result<tally::quant::UnaryBlock>
tally::schedule::unitRequantize(Scheduler &s, const eval::Quantization &from,
                                const eval::Quantization &to) {
  return functionBlock(s, {tally::quant::UnaryKind::Identity}, "requantize",
                       from, to);
}

/// Bits of a multiplier, without its sign, for results of that many bits.
static Result<int32_t> multiplierBits(const Scheduler &s, int64_t resultBits) {
  int64_t bits = resultBits <= 8 ? 8 : resultBits;
  const machine::RequantizeUnit *unit = s.machine.requantizeFor(bits);
  if (!unit)
    return s.unsupported("it has no requantize unit for " +
                         std::to_string(bits) + "-bit results");
  return int32_t(unit->multiplierBits) - 1;
}

static tally::Diagnostic inexact(const Scheduler &s, int32_t bits) {
  return s.unsupported(
      "no multiplier of " + std::to_string(bits + 1) +
          " bits gives the exact codes",
      "change the result's scale slightly, or use a machine with a wider "
      "multiplier");
}

/// Whether the wider unit may run results of that many bits.
static bool hasWiderUnit(const Scheduler &s, int64_t resultBits) {
  return resultBits <= 8 && s.machine.requantizeFor(16);
}

static Result<tally::quant::RequantizeRecord>
recordWithin(Scheduler &s, tally::quant::RequantizeProblem problem,
             int32_t bits) {
  problem.multiplierBits = bits;
  problem.canPatch = false;
  auto record = tally::quant::deriveRequantize(problem);
  if (!record)
    return atNode(s, record.takeError());
  if (record->certificate == tally::quant::Certificate::Deviates)
    return inexact(s, bits);
  return record;
}

Result<tally::quant::RequantizeRecord>
tally::schedule::unitRecord(Scheduler &s,
                            tally::quant::RequantizeProblem problem) {
  auto bits = multiplierBits(s, problem.result.bits);
  if (!bits)
    return bits.takeError();
  auto record = recordWithin(s, problem, *bits);
  if (record || !hasWiderUnit(s, problem.result.bits))
    return record;
  bits = multiplierBits(s, 16);
  record = recordWithin(s, problem, *bits);
  if (record)
    record->clampLo = kBelowBytes;
  return record;
}

Result<isa::RequantizeBlock> tally::schedule::unitBlock(
    Scheduler &s, std::vector<tally::quant::RequantizeRecord> records) {
  auto isWide = [](const auto &record) {
    return record.clampLo == kBelowBytes;
  };
  if (llvm::any_of(records, isWide))
    for (auto &record : records)
      record.clampLo = kBelowBytes;
  auto block = isa::RequantizeBlock::from(records);
  if (!block)
    return atNode(s, block.takeError());
  return block;
}

static Result<isa::LinearBlock>
linearWithin(Scheduler &s, tally::quant::LinearProblem problem, int32_t bits) {
  problem.multiplierBits = bits;
  auto record = tally::quant::deriveLinear(problem);
  if (!record)
    return atNode(s, record.takeError());
  auto block = isa::LinearBlock::from(*record);
  if (!block)
    return inexact(s, bits);
  return block;
}

Result<isa::LinearBlock> tally::schedule::unitLinear(Scheduler &s,
                                                     Operation *op) {
  auto out = *gridOf(op->getResult(0).getType());
  auto problem = nn::linearProblem(*gridOf(op->getOperand(0).getType()),
                                   *gridOf(op->getOperand(1).getType()), out,
                                   llvm::isa<nn::SubOp>(op));
  auto bits = multiplierBits(s, problem.result.bits);
  if (!bits)
    return bits.takeError();
  auto block = linearWithin(s, problem, *bits);
  if (block || !hasWiderUnit(s, problem.result.bits))
    return block;
  bits = multiplierBits(s, 16);
  block = linearWithin(s, problem, *bits);
  if (block)
    block->lo = kBelowBytes;
  return block;
}

/// The record in the node's own order of operands, then with the value so far
/// in the first place.
static Result<isa::Stage> linearStage(Scheduler &s, Operation *op,
                                      bool isSwapped) {
  auto block = unitLinear(s, op);
  if (!block)
    return block.takeError();
  if (isSwapped)
    std::swap(block->multiplierA, block->multiplierB);
  return isa::Stage(*block);
}

Result<isa::ProductBlock> tally::schedule::unitProduct(Scheduler &s,
                                                       Operation *op) {
  auto a = gridOf(op->getOperand(0).getType());
  auto b = gridOf(op->getOperand(1).getType());
  auto out = gridOf(op->getResult(0).getType());
  auto record = unitRecord(s, nn::productProblem(*a, *b, *out));
  if (!record)
    return record.takeError();
  auto block = unitBlock(s, {*record});
  if (!block)
    return block.takeError();
  return isa::ProductBlock{int32_t(a->zeroPoint()), int32_t(b->zeroPoint()),
                           *block};
}

static Result<isa::Stage> productStage(Scheduler &s, Operation *op,
                                       bool isSwapped) {
  auto block = unitProduct(s, op);
  if (!block)
    return block.takeError();
  if (isSwapped)
    std::swap(block->zeroA, block->zeroB);
  return isa::Stage(*block);
}

/// The least value of a linear or product stage.
static int32_t leastOf(const isa::Stage &stage) {
  if (auto *linear = std::get_if<isa::LinearBlock>(&stage))
    return linear->lo;
  return std::get<isa::ProductBlock>(stage).requantize.lo;
}

/// What follows a block of the wider unit.
static isa::Stage raised(const eval::Quantization &grid) {
  return isa::ClampStage{int32_t(grid.qmin), int32_t(grid.qmax)};
}

Status Epilogue::append(Scheduler &s, Operation *stage, Value chained) {
  if (auto lacks = lacksStage(stage, chained))
    return s.unsupported(*lacks);
  if (isTable(stage)) {
    auto made = unitUnary(s, stage);
    if (!made)
      return made.takeError();
    stages.push_back(isa::Stage(std::move(*made)));
    return Status::success();
  }
  if (other)
    return s.unsupported("two residuals in one chain");
  bool isSwapped = stage->getOperand(0) != chained;
  other = stage->getOperand(isSwapped ? 0 : 1);
  auto made = llvm::isa<nn::MulOp>(stage) ? productStage(s, stage, isSwapped)
                                          : linearStage(s, stage, isSwapped);
  if (!made)
    return made.takeError();
  stages.push_back(std::move(*made));
  if (leastOf(stages.back()) == kBelowBytes)
    stages.push_back(raised(*gridOf(stage->getResult(0).getType())));
  return Status::success();
}

Result<isa::EpilogueBlock> Epilogue::block(Scheduler &s, int64_t first,
                                           int64_t count) const {
  isa::EpilogueBlock block;
  auto isUsed = [](int32_t addend) { return addend != 0; };
  if (llvm::any_of(bias, isUsed))
    block.stages.push_back(isa::BiasStage{std::vector<int32_t>(
        bias.begin() + first, bias.begin() + first + count)});
  auto requantize =
      unitBlock(s, {records.begin() + first, records.begin() + first + count});
  if (!requantize)
    return requantize.takeError();
  int32_t least = requantize->lo, greatest = requantize->hi;
  block.stages.push_back(std::move(*requantize));
  if (least == kBelowBytes)
    block.stages.push_back(isa::ClampStage{lowest, greatest});
  block.stages.insert(block.stages.end(), stages.begin(), stages.end());
  return block;
}
