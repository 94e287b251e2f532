//===- Search.h - the schedule that fits and takes least time ---*- C++ -*-===//
//
// What a schedule can trade (Choices.h) is tried in a fixed order: a fixed
// number of schedules, so time grows with the graph and no faster.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_SEARCH_H
#define TALLY_SCHEDULE_SEARCH_H

#include "tally/schedule/Addresses.h"
#include "tally/schedule/ChannelParameters.h"
#include "tally/schedule/Choices.h"
#include "tally/schedule/Cost.h"

#include "mlir/IR/BuiltinOps.h"

namespace tally::schedule {

/// One schedule that was made.
struct Try {
  Choices choices;
  std::optional<Estimate> estimate; ///< nothing for a node that cannot run
  int64_t globalBytes = 0;          ///< of all regions; 0 where unknown
  /// Why it is no answer; empty label: it fits.
  Diagnostic refusal;
  bool fits() const { return refusal.message.empty(); }
};

/// What was chosen.
struct Found {
  Choices choices;
  Estimate estimate;
  std::vector<Try> tries; ///< in their order
};

/// Changes from outside that would make room, each found by planning with it.
struct Remedy {
  enum Kind { Budget, Sram, Unpin } kind = Budget;
  int64_t bytes = 0; ///< of the budget, or of SRAM
  Choices choices;   ///< with which it fits
};
std::string remedyText(const Remedy &remedy);

/// Why nothing fits.
struct Refusal {
  Diagnostic diagnostic;
  std::optional<Shortage> shortage; ///< of the try that came nearest; nothing
                                    ///< where a node cannot run
  Choices choices;                  ///< of that try
  std::vector<Try> tries;
  std::vector<Remedy> remedies; ///< smallest change first
};

/// What is chosen from outside, as in Choices; the search varies the rest.
struct Pins {
  std::optional<int64_t> resident, band, weights, prefetch;

  bool any() const { return resident || band || weights || prefetch; }
  Choices applied(Choices choices) const;
};

struct SearchOptions {
  int64_t budget = plan::memory::kUnlimited; ///< of global memory, bytes
  Pins pins;
  size_t compared = 4; ///< of schedules that fit, those whose time is compared
  bool findRemedies = true;
};

/// "resident 640K, band 128K, weights 128K, prefetch 1"
std::string choicesText(const Choices &choices);

/// The choices with which `main` of `module` fits in the machine and the budget
/// and is estimated to take least time. The module is as before. Fails by the
/// rules of Schedule.h and Addresses.h; then fills `refusal`, if there is one.
/// `known` has in the end what a schedule of the same module would derive
/// again.
Result<Found> searchSchedule(mlir::ModuleOp module,
                             const machine::Machine &machine,
                             const SearchOptions &options,
                             KnownParameters &known,
                             Refusal *refusal = nullptr);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_SEARCH_H
