//===- Place.cpp - where states live --------------------------------------===//
//
// A state that nothing changes keeps its slot. One whose new value is another
// state's old one takes over that slot when the call ends (exchange): no byte
// moves. Every other one is written, but for numbers that the caller counts.
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
#include "tally/graph/Types.h"
#include "tally/ops/HandedOn.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/state/Ring.h"
#include "tally/rewrite/state/Tabulate.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

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
  /// What the call writes: the new value, or a ring's value with more around.
  Value stored;

  int64_t ringBytes = 0; ///< of a ring's slot

  int64_t slotBytes() {
    auto type = cast<RankedTensorType>(stored.getType());
    return place.policy == StatePolicy::Ring ? ringBytes
                                             : describe(type).byteCount();
  }
};

class Placer {
public:
  Placer(func::FuncOp function, const PlaceOptions &options)
      : function(function), options(options) {}
  void run();

private:
  void collect();
  void mergeReads();
  PlacedState *readBy(Value value);
  void choose(PlacedState &state);
  bool chooseCounter(PlacedState &state);
  bool chooseRing(PlacedState &state);
  std::optional<std::string> refusal(PlacedState &state);
  void chooseInPlace(PlacedState &state);
  void giveSlots();
  void closeChains();
  void rewriteReads();
  void rewriteWrites();

  func::FuncOp function;
  const PlaceOptions options;
  llvm::MapVector<StringRef, PlacedState> states;
  SmallVector<Overwritten> overwritten;
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

/// One read of each state, before everything else.
void Placer::mergeReads() {
  for (auto &[name, state] : states) {
    if (state.reads.empty())
      continue;
    StateReadOp first = state.reads.front();
    first->moveBefore(&function.getBody().front().front());
    for (StateReadOp read : llvm::drop_begin(state.reads)) {
      read.getValue().replaceAllUsesWith(first.getValue());
      read.erase();
    }
    state.reads.truncate(1);
  }
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
  if (chooseCounter(state))
    return;
  // A slot goes to one heir, and not away from a state that keeps it.
  bool isFree =
      source && !source->heir && readBy(source->write.getValue()) != source;
  if (isFree) {
    state.place.policy = StatePolicy::Exchange;
    state.source = source;
    source->heir = &state;
  }
}

/// The only integer of a constant, or nothing.
static std::optional<int64_t> integerOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  eval::Tensor tensor =
      hostTensor(constant.getValue(), cast<RankedTensorType>(value.getType()));
  bool isInteger = tensor.element == eval::Element::I64 && tensor.count() == 1;
  return isInteger ? std::optional(eval::loadInt(tensor, 0)) : std::nullopt;
}

/// value = min(old + step, last), or old + step alone: what stands there, with
/// INT64_MAX for `last` where there is none.
static std::optional<std::pair<int64_t, int64_t>> countingOf(Value value,
                                                             StateReadOp old) {
  int64_t last = INT64_MAX;
  if (auto least = value.getDefiningOp<MinOp>()) {
    if (least->getNumOperands() != 2)
      return std::nullopt;
    auto bound = integerOf(least->getOperand(1));
    if (!bound)
      return std::nullopt;
    last = *bound;
    value = least->getOperand(0);
  }
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum || sum->getOperand(0) != old.getValue())
    return std::nullopt;
  auto step = integerOf(sum->getOperand(1));
  if (!step || *step < 0)
    return std::nullopt;
  return std::pair(*step, last);
}

bool Placer::chooseCounter(PlacedState &state) {
  auto most = state.state.getMost();
  if (!options.counters || !most || state.reads.empty())
    return false;
  auto counting = countingOf(state.write.getValue(), state.reads.front());
  if (!counting)
    return false;
  state.place.policy = StatePolicy::Counter;
  state.place.step = counting->first;
  // Beyond `most` no call can begin; how far beyond is known.
  state.place.last =
      std::min(counting->second, int64_t(*most) + counting->first);
  return true;
}

bool Placer::chooseRing(PlacedState &state) {
  if (!options.rings)
    return false;
  auto ring = makeRing(state.reads.front(), state.write, options.ringLayout,
                       overwritten, options.ringsDown);
  if (!ring)
    return false;
  state.place.policy = StatePolicy::Ring;
  state.place.advance = ring->advance;
  state.place.target = ring->target;
  state.place.rows = ring->rows;
  state.place.pitch = ring->pitch;
  state.ringBytes = ring->slotBytes;
  state.stored = ring->shift.getOutput();
  return true;
}

/// Why a state that is read may not be written where it is.
std::optional<std::string> Placer::refusal(PlacedState &state) {
  if (state.heir)
    return "state '" + state.heir->state.getSymName().str() +
           "' takes over the slot of the old value";
  if (!options.inPlace)
    return "the target writes no operand over";
  return refuseInPlace(state.reads.front(), state.write.getValue(),
                       overwritten);
}

/// Of the states that are left to flip, those whose old value nobody needs.
void Placer::chooseInPlace(PlacedState &state) {
  if (state.place.policy != StatePolicy::Flip)
    return;
  bool isRead = !state.reads.empty();
  if (isRead && !state.heir && chooseRing(state))
    return;
  auto reason = isRead ? refusal(state) : std::nullopt;
  if (!reason)
    state.place.policy = StatePolicy::InPlace;
  state.place.reason = reason.value_or("");
}

/// One entry for the old value, a second one for a new value that is written
/// beside it.
void Placer::giveSlots() {
  auto add = [&](PlacedState &state) {
    slotBytes.push_back(state.slotBytes());
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

/// An attribute list of the argument or result that is state `name`.
static DictionaryAttr stateAttributes(MLIRContext *context, StringRef name) {
  NamedAttrList attributes;
  attributes.set("nn.name", StringAttr::get(context, name));
  attributes.set(kStateOfValue, FlatSymbolRefAttr::get(context, name));
  return attributes.getDictionary(context);
}

/// The reads that something needs become arguments, in the states' order.
void Placer::rewriteReads() {
  removeDead(function);
  llvm::DenseMap<StringRef, StateReadOp> needed;
  for (auto read : function.getBody().front().getOps<StateReadOp>())
    needed[read.getState()] = read;
  for (auto &[name, state] : states) {
    StateReadOp read = needed.lookup(name);
    if (!read)
      continue;
    state.place.isRead = true;
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, read.getType(),
                                  stateAttributes(function.getContext(), name),
                                  read.getLoc());
    read.getValue().replaceAllUsesWith(function.getArgument(index));
    read.erase();
  }
}

void Placer::rewriteWrites() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto &[name, state] : states) {
    StatePolicy policy = state.place.policy;
    state.place.isWritten = policy != StatePolicy::Keep &&
                            policy != StatePolicy::Exchange &&
                            policy != StatePolicy::Counter;
    state.write.erase();
    if (!state.place.isWritten)
      continue;
    NamedAttrList attributes(stateAttributes(function.getContext(), name));
    if (Attribute node = state.state->getAttr(kHandingNode))
      attributes.set(kHandingNode, node);
    (void)function.insertResult(
        function.getNumResults(), state.stored.getType(),
        attributes.getDictionary(function.getContext()));
    terminator->insertOperands(terminator->getNumOperands(), state.stored);
  }
}

void Placer::run() {
  collect();
  mergeReads();
  for (auto &[name, state] : states) {
    state.stored = state.write.getValue();
    choose(state);
  }
  for (auto &[name, state] : states)
    chooseInPlace(state);
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

void tally::rewrite::placeStates(ModuleOp module, const PlaceOptions &options) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!statesOf(function).empty() && !module->hasAttr(kCommit))
    Placer(function, options).run();
}

namespace {
struct PlaceStatesPass : PassWrapper<PlaceStatesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceStatesPass)
  PlaceStatesPass() = default;
  PlaceStatesPass(const PlaceStatesPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "nn-place-states"; }
  StringRef getDescription() const override {
    return "decide where states live; reads become arguments, writes results";
  }
  void runOnOperation() override {
    rewrite::placeStates(getOperation(), {.inPlace = true,
                                          .rings = true,
                                          .ringsDown = true,
                                          .counters = counters});
    if (counters)
      rewrite::tabulateCounters(getOperation());
  }
  Option<bool> counters{*this, "counters",
                        llvm::cl::desc("the caller counts: tables of what "
                                       "depends on a counter")};
};
} // namespace

void tally::rewrite::registerPlaceStatesPass() {
  PassRegistration<PlaceStatesPass>();
}
