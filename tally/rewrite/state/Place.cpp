//===- Place.cpp - where states live --------------------------------------===//
//
// A state that nothing changes keeps its slot. One whose new value is another
// state's old one takes over that slot when the call ends (exchange): no byte
// moves. Every other one is written.
//
// Slots that are taken over leave a gap at one end of the chain, which the
// slot that became free at its other end fills:
//
//   a' = b, b' = f(a, b)     entries  a b spare(b)
//   after the call           a <- b,  b <- spare(b),  spare(b) <- a
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/Place.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

namespace {
struct PlacedState {
  StateOp state;
  SmallVector<StateReadOp> reads;
  StateWriteOp write;
  StatePlace place;
  /// Exchange: whose old value becomes this state's.
  PlacedState *source = nullptr;
  /// Who takes over the slot of this state's old value.
  PlacedState *heir = nullptr;

  int64_t bytes() { return describe(state.tensorType()).byteCount(); }
};

class Placer {
public:
  explicit Placer(func::FuncOp function) : function(function) {}
  void run();

private:
  void collect();
  PlacedState *readBy(Value value);
  void choose(PlacedState &state);
  void giveSlots();
  void closeChains();
  void rewriteReads();
  void rewriteWrites();

  func::FuncOp function;
  llvm::MapVector<StringRef, PlacedState> states;
  SmallVector<int64_t> slotBytes, commit;
};
} // namespace

void Placer::collect() {
  for (StateOp state : statesOf(function))
    states[state.getSymName()].state = state;
  for (Operation &op : function.getBody().front()) {
    if (auto read = dyn_cast<StateReadOp>(op))
      states[read.getState()].reads.push_back(read);
    if (auto write = dyn_cast<StateWriteOp>(op))
      states[write.getState()].write = write;
  }
  states.remove_if([](auto &entry) { return !entry.second.write; });
}

/// The state whose old value `value` is, or null.
PlacedState *Placer::readBy(Value value) {
  auto read = value.getDefiningOp<StateReadOp>();
  return read ? &states[read.getState()] : nullptr;
}

void Placer::choose(PlacedState &state) {
  PlacedState *source = readBy(state.write.getValue());
  if (source == &state) {
    state.place.policy = StatePolicy::Keep;
    return;
  }
  // A slot goes to one heir, and not away from a state that keeps it.
  bool isFree =
      source && !source->heir && readBy(source->write.getValue()) != source;
  if (isFree) {
    state.place.policy = StatePolicy::Exchange;
    state.source = source;
    source->heir = &state;
  }
}

/// One entry for the old value, a second one for a new value that is written
/// beside it.
void Placer::giveSlots() {
  auto add = [&](PlacedState &state) {
    slotBytes.push_back(state.bytes());
    return static_cast<int64_t>(slotBytes.size()) - 1;
  };
  for (auto &[name, state] : states) {
    state.place.current = state.place.next = add(state);
    if (state.place.policy == StatePolicy::Flip)
      state.place.next = add(state);
  }
}

void Placer::closeChains() {
  commit = llvm::to_vector(llvm::seq<int64_t>(0, slotBytes.size()));
  for (auto &[name, state] : states) {
    if (state.source)
      commit[state.place.current] = state.source->place.current;
    if (state.place.policy != StatePolicy::Flip)
      continue;
    PlacedState *last = &state;
    while (last->heir)
      last = last->heir;
    commit[state.place.current] = state.place.next;
    commit[state.place.next] = last->place.current;
  }
}

void Placer::rewriteReads() {
  MLIRContext *context = function.getContext();
  for (auto &[name, state] : states) {
    for (StateReadOp read : llvm::drop_begin(state.reads)) {
      read.getValue().replaceAllUsesWith(state.reads.front().getValue());
      read.erase();
    }
    if (state.reads.empty())
      continue;
    StateReadOp read = state.reads.front();
    if (read->use_empty()) {
      read.erase();
      continue;
    }
    state.place.isRead = true;
    unsigned index = function.getNumArguments();
    NamedAttrList attributes;
    attributes.set("nn.name", StringAttr::get(context, name));
    attributes.set(kStateOfValue, FlatSymbolRefAttr::get(context, name));
    (void)function.insertArgument(index, read.getType(),
                                  attributes.getDictionary(context),
                                  read.getLoc());
    read.getValue().replaceAllUsesWith(function.getArgument(index));
    read.erase();
  }
}

void Placer::rewriteWrites() {
  MLIRContext *context = function.getContext();
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto &[name, state] : states) {
    StatePolicy policy = state.place.policy;
    if (policy != StatePolicy::Keep && policy != StatePolicy::Exchange) {
      state.place.isWritten = true;
      Value value = state.write.getValue();
      NamedAttrList attributes;
      attributes.set("nn.name", StringAttr::get(context, name));
      attributes.set(kStateOfValue, FlatSymbolRefAttr::get(context, name));
      unsigned index = function.getNumResults();
      (void)function.insertResult(index, value.getType(),
                                  attributes.getDictionary(context));
      terminator->insertOperands(terminator->getNumOperands(), value);
    }
    state.write.erase();
  }
}

void Placer::run() {
  collect();
  for (auto &[name, state] : states)
    choose(state);
  giveSlots();
  closeChains();
  // Writes first: a kept or exchanged value alone is no reason to read it.
  rewriteWrites();
  rewriteReads();
  for (auto &[name, state] : states)
    setPlace(state.state, state.place);
  Builder builder(function.getContext());
  auto module = function->getParentOfType<ModuleOp>();
  module->setAttr(kSlotBytes, builder.getDenseI64ArrayAttr(slotBytes));
  module->setAttr(kCommit, builder.getDenseI64ArrayAttr(commit));
}

void tally::rewrite::placeStates(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!statesOf(function).empty() && !module->hasAttr(kCommit))
    Placer(function).run();
}

namespace {
struct PlaceStatesPass : PassWrapper<PlaceStatesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceStatesPass)
  StringRef getArgument() const override { return "nn-place-states"; }
  StringRef getDescription() const override {
    return "decide where states live; reads become arguments, writes results";
  }
  void runOnOperation() override { rewrite::placeStates(getOperation()); }
};
} // namespace

void tally::rewrite::registerPlaceStatesPass() {
  PassRegistration<PlaceStatesPass>();
}
