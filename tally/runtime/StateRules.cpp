//===- StateRules.cpp - states of an interface that fit their slots -------===//

#include "tally/runtime/StateRules.h"
#include "tally/support/CheckedMath.h"

#include <cstdlib>
#include <limits>
#include <tuple>

using namespace tally;
using namespace tally::runtime;

static tally::Diagnostic broken(std::string message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "IFC-3";
  failure.message = "interface description: " + std::move(message);
  return failure;
}

static tally::Diagnostic wrongState(const StateInterface &state,
                                    std::string message) {
  return broken("state '" + state.tensor.name + "' " + std::move(message));
}

/// Whether the rows of a state lie one behind the other within what a call
/// touches, wherever the value slides to.
static bool hasGoodRows(const StateInterface &state) {
  int64_t bytes = state.tensor.byteCount();
  bool isDown = state.advance < 0 && state.target == state.advance;
  bool isUp = state.advance >= 0 && state.target >= 0;
  if (state.rows < 1 || bytes % state.rows || (!isUp && !isDown) ||
      state.advance == std::numeric_limits<int64_t>::min() || state.extent < 0)
    return false;
  if (state.rows == 1)
    return bytes <= state.touchedBytes();
  auto last = checkedMul(state.rows - 1, state.pitch);
  return state.pitch >= state.rowBytes() && last &&
         *last <= state.touchedBytes() - state.rowBytes();
}

/// IFC-3 of one state: its value, and where it goes next, lie in slots.
static Status checkSlots(const Interface &interface,
                         const StateInterface &state) {
  if (!hasGoodRows(state))
    return wrongState(state, "has rows that do not fit");
  auto count = static_cast<int64_t>(interface.slotBytes.size());
  auto needed = checkedAdd(state.touchedBytes(), std::abs(state.advance));
  for (int64_t slot : {state.current, state.next})
    if (slot < 0 || slot >= count || !needed ||
        interface.slotBytes[slot] < *needed)
      return wrongState(state, "does not fit slot " + std::to_string(slot));
  if (state.advance != 0 && state.current != state.next)
    return wrongState(state, "moves along two slots");
  return Status::success();
}

/// IFC-3: `commit` is a permutation among slots of equal size.
static Status checkCommit(const Interface &interface) {
  const auto &[slots, commit] = std::tie(interface.slotBytes, interface.commit);
  std::vector<bool> taken(slots.size());
  bool isGood = commit.size() == slots.size();
  for (size_t i = 0; isGood && i < commit.size(); ++i) {
    isGood = commit[i] >= 0 && commit[i] < int64_t(slots.size()) &&
             !taken[commit[i]] && slots[commit[i]] == slots[i];
    if (isGood)
      taken[commit[i]] = true;
  }
  if (isGood)
    return Status::success();
  return broken("commit is no permutation of slots of equal size");
}

Status runtime::checkStates(const Interface &interface) {
  for (const StateInterface &state : interface.states)
    if (Status status = checkSlots(interface, state); !status)
      return status;
  return checkCommit(interface);
}
