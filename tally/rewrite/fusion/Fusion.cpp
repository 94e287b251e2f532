//===- Fusion.cpp - chains become one operation ---------------------------===//
//
// Decide, then build. Deciding walks a function once in program order: an
// elementwise operator joins the first of its operands' chains that may take it
// (Edge.h); an anchor that joined none begins a chain. What an operator does
// follows from what it reads, so any order of the operators that is a program
// gives the same chains. Building clones each chain into the region of an
// nn.fused at the place of its last operator, where all its operands are
// available.
//
// This is done twice. First without limits on tables, to leave out of the
// chains what changes no code (Simplify.h); the chains are then taken apart
// again. The second time limits hold, on the tables that are still needed.
// Were it done once, a chain could be cut for tables that it no longer has, and
// would grow when fused again.
//
// Two chains cannot wait for each other: a chain is read through its last
// value only, so a cycle of chains would be a cycle of the graph.
//
// Example: conv -> relu -> add(r) -> relu with r from another convolution.
// That convolution ends its chain at the addition, which the first operand's
// chain has taken:
//
//   r = conv; y = fused { conv; relu; add r; relu }
//
// Cost: linear in the number of edges, but for noCycle, which looks at the
// operators between the chain and its stage.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/fusion/Fusion.h"
#include "tally/ops/Anchors.h"
#include "tally/rewrite/fusion/Edge.h"
#include "tally/rewrite/fusion/PoolsOnCodes.h"
#include "tally/rewrite/fusion/RowTables.h"
#include "tally/rewrite/fusion/Simplify.h"
#include "tally/rewrite/fusion/Tables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

//===----------------------------------------------------------------------===//
// Names of predicates
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kNames[] = {
#define TALLY_FUSION_PREDICATE(NAME, TEXT) #NAME,
#include "tally/rewrite/fusion/Predicates.def"
};

StringRef tally::rewrite::predicateName(Predicate predicate) {
  return kNames[static_cast<size_t>(predicate)];
}

std::optional<Predicate> tally::rewrite::predicateNamed(StringRef name) {
  const auto *found = llvm::find(kNames, name);
  if (found == std::end(kNames))
    return std::nullopt;
  return static_cast<Predicate>(found - std::begin(kNames));
}

SmallVector<StringRef> tally::rewrite::predicateNames() {
  return SmallVector<StringRef>(std::begin(kNames), std::end(kNames));
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

namespace {
class FunctionFusion {
public:
  /// Edges are reported when `isFinal`.
  FunctionFusion(func::FuncOp function, const FusionOptions &options,
                 bool isFinal)
      : function(function), options(options), isFinal(isFinal) {}
  /// The chains that were built, in the order of their anchors.
  SmallVector<FusedOp> run();

private:
  using Chain = SmallVector<Operation *>;
  /// Fills `chains`, those of an anchor alone included.
  void decideAll();
  /// Whether `stage` joined a chain.
  bool join(Operation *stage);
  ArrayRef<Operation *> chainUpTo(Operation *op) const;
  /// Whether the edge's stage may join.
  bool decide(const Edge &edge);
  void report(const Edge &edge, const std::optional<Refusal> &verdict);
  FusedOp build(ArrayRef<Operation *> chain);

  func::FuncOp function;
  const FusionOptions &options;
  const bool isFinal;
  SmallVector<Chain> chains;
  llvm::DenseMap<Operation *, size_t> chainOf; ///< of anchors and stages
  llvm::DenseSet<Operation *> taken;           ///< stages
};
} // namespace

bool FunctionFusion::decide(const Edge &edge) {
  auto verdict = refusal(edge, options);
  if (isFinal)
    report(edge, verdict);
  return !verdict;
}

void FunctionFusion::report(const Edge &edge,
                            const std::optional<Refusal> &verdict) {
  if (!verdict) {
    remarkAt(edge.anchor(), RemarkCode::Fused)
        << rewrite::edge(edge.value) << other(edge.stage);
    return;
  }
  auto remark = remarkAt(edge.anchor(), verdict->code);
  remark << rewrite::edge(verdict->at)
         << other(verdict->other ? verdict->other : edge.stage)
         << because("{0}", verdict->reason)
         << instead("{0}", verdict->suggestion);
}

ArrayRef<Operation *> FunctionFusion::chainUpTo(Operation *op) const {
  auto found = chainOf.find(op);
  if (found == chainOf.end())
    return {};
  ArrayRef<Operation *> chain = chains[found->second];
  return chain.take_front(llvm::find(chain, op) - chain.begin() + 1);
}

bool FunctionFusion::join(Operation *stage) {
  llvm::SetVector<Value> operands(stage->operand_begin(), stage->operand_end());
  for (Value operand : operands) {
    auto edge = edgeTo(
        stage, operand, [&](Operation *op) { return chainUpTo(op); }, taken);
    if (!edge || !decide(*edge) || taken.contains(stage))
      continue;
    size_t index = chainOf[edge->chain.back()];
    if (chains[index].size() > edge->chain.size())
      continue; // another stage has followed the value
    chains[index].append(edge->views.begin(), edge->views.end());
    chains[index].push_back(stage);
    chainOf[stage] = index;
    taken.insert(stage);
  }
  return taken.contains(stage);
}

void FunctionFusion::decideAll() {
  for (Operation &op : function.getBody().front()) {
    if (op.hasTrait<ElementwiseStage>() && join(&op))
      continue;
    if (!isFusionAnchor(&op))
      continue;
    chainOf[&op] = chains.size();
    chains.push_back({&op});
  }
}

SmallVector<FusedOp> FunctionFusion::run() {
  decideAll();
  llvm::erase_if(chains, [](const Chain &chain) { return chain.size() == 1; });
  SmallVector<FusedOp> built;
  for (const Chain &chain : chains)
    built.push_back(build(chain));
  llvm::SetVector<Operation *> originals;
  for (const Chain &chain : chains)
    originals.insert(chain.begin(), chain.end());
  for (Operation *op : llvm::reverse(originals))
    if (op->use_empty())
      op->erase();
  return built;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// `op` inside a chain: a view that keeps the order of elements is a reshape.
static Operation *cloneInto(OpBuilder &builder, Operation *op,
                            IRMapping &mapping) {
  if (!isa<Movement>(op))
    return builder.clone(*op, mapping);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto reshape =
      ReshapeOp::create(builder, op->getLoc(), type,
                        mapping.lookup(op->getOperand(0)), type.getShape());
  mapping.map(op->getResult(0), reshape.getResult());
  return reshape;
}

FusedOp FunctionFusion::build(ArrayRef<Operation *> chain) {
  llvm::SetVector<Value> inputs;
  for (Operation *op : chain)
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(chain, operand.getDefiningOp()))
        inputs.insert(operand);
  Operation *last = chain.back();
  OpBuilder builder(last);
  auto fused = FusedOp::create(builder, last->getLoc(),
                               last->getResultTypes()[0], inputs.getArrayRef());
  Block &body = fused.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation *op : chain)
    cloneInto(builder, op, mapping);
  YieldOp::create(builder, last->getLoc(), mapping.lookup(last->getResult(0)));
  last->getResult(0).replaceAllUsesWith(fused.getOutput());
  return fused;
}

//===----------------------------------------------------------------------===//
// Functions and modules
//===----------------------------------------------------------------------===//

/// Leaves out of the chains of `function` what changes no code. No chain is
/// left.
static void simplifyChains(func::FuncOp function, FusionOptions options) {
  options.maxTableBytes = options.tableBudget =
      std::numeric_limits<int64_t>::max();
  for (FusedOp fused : FunctionFusion(function, options, false).run()) {
    simplify(fused, options);
    fused.unfuse();
  }
}

static void fuseFunction(func::FuncOp function, const FusionOptions &options) {
  if (options.prefersCodes) {
    poolCodes(function);
    tabulateRows(function, options.idealRounding);
    tabulate(function, options.idealRounding);
  }
  simplifyChains(function, options);
  for (FusedOp fused : FunctionFusion(function, options, true).run())
    reportRoundings(fused, options);
}

void tally::rewrite::unfuse(ModuleOp module) {
  SmallVector<FusedOp> all;
  module.walk([&](FusedOp fused) { all.push_back(fused); });
  for (FusedOp fused : all)
    fused.unfuse();
}

void tally::rewrite::fuse(ModuleOp module, const FusionOptions &options) {
  unfuse(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      fuseFunction(function, options);
}
