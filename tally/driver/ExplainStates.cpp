//===- ExplainStates.cpp - where states and outputs live ------------------===//

#include "tally/driver/ExplainStates.h"
#include "tally/cpu/Description.h"
#include "tally/driver/Phases.h"
#include "tally/graph/Types.h"
#include "tally/ops/State.h"
#include "tally/rewrite/Remarks.h"

using namespace tally;
using rewrite::RemarkCode;
using runtime::StateInterface;
using runtime::StatePolicy;

static RemarkCode codeOf(StatePolicy policy) {
  switch (policy) {
  case StatePolicy::Flip:
    return RemarkCode::StateFlips;
  case StatePolicy::InPlace:
    return RemarkCode::StateInPlace;
  case StatePolicy::Ring:
    return RemarkCode::StateRing;
  case StatePolicy::Keep:
    return RemarkCode::StateKept;
  case StatePolicy::Exchange:
    return RemarkCode::StateExchanged;
  }
  return RemarkCode::StateFlips;
}

/// Bytes of the state block that a state has: a slot, or two.
static int64_t memoryOf(const StateInterface &state,
                        const runtime::Interface &interface) {
  int64_t memory = interface.slotBytes[state.current];
  if (state.policy == StatePolicy::Flip)
    memory += interface.slotBytes[state.next];
  return memory;
}

/// What a state costs, as a sentence: memory, and bytes of each call.
static std::string costOf(const StateInterface &state,
                          const std::string &policy, int64_t memory) {
  std::string text =
      policy + ": " + std::to_string(state.tensor.byteCount()) + " bytes in " +
      std::to_string(memory) + "; a call writes " +
      std::to_string(state.writtenBytes) + " and copies " +
      (state.copiedBytes ? std::to_string(state.copiedBytes) : "none");
  if (state.policy == StatePolicy::Ring) {
    int64_t room = memory - state.touchedBytes();
    if (state.advance < 0)
      room += state.target; // a call touches what lies before the value
    text += "; the value moves once in " +
            std::to_string(room / std::abs(state.advance) + 1) + " calls";
  }
  return text + (state.reason.empty() ? "" : "; " + state.reason);
}

/// One remark: the policy's, or that of a copy, with the same as numbers.
static void explain(nn::StateOp op, const StateInterface &state,
                    const runtime::Interface &interface) {
  using mlir::remark::metric;
  int64_t memory = memoryOf(state, interface);
  auto place = nn::placeOf(op);
  bool isCounter = place && place->policy == nn::StatePolicy::Counter;
  std::string policy =
      isCounter ? "counter" : runtime::policyName(state.policy);
  RemarkCode code = isCounter           ? RemarkCode::StateCounted
                    : state.copiedBytes ? RemarkCode::StateCopied
                                        : codeOf(state.policy);
  rewrite::remarkAt(op, code)
      << rewrite::because("{0}", costOf(state, policy, memory))
      << metric("Class", "persistent") << metric("Policy", policy)
      << metric("Bytes", state.tensor.byteCount()) << metric("Memory", memory)
      << metric("Written", state.writtenBytes)
      << metric("Copied", state.copiedBytes);
}

void tally::explainStorage(mlir::ModuleOp module) {
  cpu::Stores stores = cpu::storesOf(mainFunction(module));
  explainOutputs(module, stores.copiedOutputs);
  explainStates(module, stores.interface);
}

static void explainOutput(mlir::func::FuncOp function, unsigned i,
                          bool isFinalState, const std::string &whyCopied) {
  using mlir::remark::metric;
  auto type = llvm::cast<mlir::RankedTensorType>(function.getResultTypes()[i]);
  int64_t bytes = nn::describe(type).byteCount();
  int64_t copied = whyCopied.empty() ? 0 : bytes;
  std::string kind = isFinalState ? "final-state output" : "direct output";
  std::string cost = kind + ": a call writes " + std::to_string(bytes) +
                     " bytes and copies " +
                     (copied ? std::to_string(copied) + "; " + whyCopied
                             : std::string("none"));
  rewrite::remarkAtOutput(
      function, i, copied ? RemarkCode::OutputCopied : RemarkCode::OutputStored)
      << rewrite::because("{0}", cost) << metric("Class", kind)
      << metric("Bytes", bytes) << metric("Written", bytes)
      << metric("Copied", copied);
}

void tally::explainOutputs(mlir::ModuleOp module,
                           llvm::ArrayRef<std::string> whyCopied) {
  mlir::func::FuncOp function = mainFunction(module);
  auto values = function.getBody().front().getTerminator()->getOperands();
  auto states = values.drop_front(whyCopied.size());
  for (auto [i, why] : llvm::enumerate(whyCopied))
    explainOutput(function, i, llvm::is_contained(states, values[i]), why);
}

void tally::explainStates(mlir::ModuleOp module,
                          const runtime::Interface &interface) {
  for (nn::StateOp op : nn::statesOf(mainFunction(module)))
    for (const StateInterface &state : interface.states)
      if (state.tensor.name == op.getSymName())
        explain(op, state, interface);
}

Status tally::checkStateCopies(const runtime::Interface &interface,
                               std::optional<int64_t> allowed) {
  int64_t copied = 0;
  for (const StateInterface &state : interface.states) {
    copied += state.copiedBytes > 0;
    if (!state.copiedBytes || !allowed || copied <= *allowed)
      continue;
    tally::Diagnostic failure;
    failure.kind = FailureKind::Unsupported;
    failure.rule = "STATE-10";
    failure.node = state.tensor.name;
    failure.message = "a call copies the state, and no more than " +
                      std::to_string(*allowed) + " may be; " + state.reason;
    failure.hint = "let an operator compute the value, or allow it with "
                   "--max-state-copies; `tally explain --only state` lists all "
                   "states";
    return failure;
  }
  return Status::success();
}
