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
#include "tally/rewrite/fusion/Edge.h"
#include "tally/rewrite/fusion/Simplify.h"

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
  FunctionFusion(func::FuncOp function, const FusionOptions &options)
      : function(function), options(options) {}
  void run();

private:
  using Chain = SmallVector<Operation *>;
  /// Fills `chains`, those of an anchor alone included.
  void decideAll();
  /// Whether `stage` joined a chain; its edges are reported.
  bool join(Operation *stage);
  ArrayRef<Operation *> chainUpTo(Operation *op) const;
  /// Reports the edge; whether its stage may join.
  bool decide(const Edge &edge);
  FusedOp build(ArrayRef<Operation *> chain);

  func::FuncOp function;
  const FusionOptions &options;
  SmallVector<Chain> chains;
  llvm::DenseMap<Operation *, size_t> chainOf; ///< of anchors and stages
  llvm::DenseSet<Operation *> taken;           ///< stages
};
} // namespace

bool FunctionFusion::decide(const Edge &edge) {
  auto verdict = refusal(edge, options);
  if (!verdict) {
    remarkAt(edge.anchor(), RemarkCode::Fused)
        << rewrite::edge(edge.value) << other(edge.stage);
    return true;
  }
  auto remark = remarkAt(edge.anchor(), verdict->code);
  remark << rewrite::edge(verdict->at)
         << other(verdict->other ? verdict->other : edge.stage)
         << because("{0}", verdict->reason)
         << instead("{0}", verdict->suggestion);
  return false;
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
    if (!op.hasTrait<FusionAnchor>())
      continue;
    chainOf[&op] = chains.size();
    chains.push_back({&op});
  }
}

/// Views that stood before a clamp which was left out go behind the chain,
/// whose last operation is elementwise.
static void releaseViews(FusedOp fused) {
  SmallVector<Operation *> chain = fused.chain();
  for (; isa<ReshapeOp>(chain.back()); chain.pop_back()) {
    Operation *view = chain.back();
    Value before = view->getOperand(0), output = fused.getOutput();
    OpBuilder builder(fused->getContext());
    builder.setInsertionPointAfter(fused);
    Operation *outside = builder.clone(*view);
    output.replaceAllUsesWith(outside->getResult(0));
    outside->setOperand(0, output);
    view->getResult(0).replaceAllUsesWith(before);
    view->erase();
    output.setType(before.getType());
    fused->setLoc(before.getLoc());
  }
}

void FunctionFusion::run() {
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
  for (FusedOp fused : built) {
    simplify(fused, options);
    releaseViews(fused);
    if (fused.chain().size() == 1)
      fused.unfuse();
  }
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
// Modules
//===----------------------------------------------------------------------===//

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
      FunctionFusion(function, options).run();
}
