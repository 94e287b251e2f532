//===- Search.cpp - the schedule that fits and takes least time -----------===//
//
// Candidates are shares of SRAM, the likely best first. The first few that fit
// are compared by the model of time; where fewer fit, the list goes on
// towards small bands, few weights and no prefetch, which trade time for room.
// Under a budget, keeping more in SRAM makes the arena smaller.
//
// If nothing fits, the last word are remedies: the smallest budget of all
// tries, and the smallest SRAM, by halving, that takes the smallest candidate.
// Each was planned.
//
// Cost: at most kCandidates schedules, a memory plan for those that are not
// slower than the best so far, and kHalvings plans for remedies.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/Search.h"
#include "tally/schedule/Plans.h"
#include "tally/schedule/Schedule.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
namespace memory = tally::plan::memory;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {
/// 64ths of SRAM.
struct Shares {
  int64_t resident, band, weights, prefetch;
};
} // namespace

/// The standard choices first.
static constexpr Shares kCandidates[] = {
    {40, 8, 8, 1}, {40, 4, 8, 1}, {44, 8, 4, 1},   {48, 6, 6, 1}, {32, 8, 8, 1},
    {40, 8, 8, 0}, {24, 4, 4, 1}, {24, 12, 12, 1}, {24, 4, 4, 0}, {56, 2, 2, 0},
    {16, 4, 4, 0}, {8, 2, 2, 0},  {0, 1, 1, 0},
};
static constexpr int kHalvings = 6;

static Choices choicesOf(const Shares &shares,
                         const machine::Machine &machine) {
  int64_t unit = machine.sram.bytes / 64;
  Choices choices = Choices::standard(machine);
  choices.residentBytes = shares.resident * unit;
  choices.bandBytes = shares.band * unit;
  choices.weightBytes = shares.weights * unit;
  choices.prefetch = shares.prefetch;
  return choices;
}

Choices Pins::applied(Choices choices) const {
  choices.residentBytes = resident.value_or(choices.residentBytes);
  choices.bandBytes = band.value_or(choices.bandBytes);
  choices.weightBytes = weights.value_or(choices.weightBytes);
  choices.prefetch = prefetch.value_or(choices.prefetch);
  return choices;
}

/// All candidates that differ under `pins`, in their order.
static std::vector<Choices> candidates(const machine::Machine &machine,
                                       const Pins &pins) {
  std::vector<Choices> all;
  for (const Shares &shares : kCandidates) {
    Choices choices = pins.applied(choicesOf(shares, machine));
    if (llvm::none_of(all, [&](const Choices &other) {
          return choicesText(other) == choicesText(choices);
        }))
      all.push_back(choices);
  }
  return all;
}

std::string tally::schedule::choicesText(const Choices &choices) {
  return "resident " + std::to_string(choices.residentBytes) + ", band " +
         std::to_string(choices.bandBytes) + ", weights " +
         std::to_string(choices.weightBytes) + ", prefetch " +
         std::to_string(choices.prefetch);
}

std::string tally::schedule::remedyText(const Remedy &remedy) {
  std::string bytes = std::to_string(remedy.bytes);
  std::string choices = choicesText(remedy.choices);
  switch (remedy.kind) {
  case Remedy::Budget:
    return "--budget " + bytes + " (" + choices + ")";
  case Remedy::Sram:
    return bytes + " bytes of SRAM (" + choices + ")";
  case Remedy::Unpin:
    return "other --choose: " + choices;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Tries
//===----------------------------------------------------------------------===//

namespace {
/// A program that is taken out of its module in the end.
class Trial {
public:
  Trial(ModuleOp module, const machine::Machine &machine,
        const Choices &choices, KnownParameters &known);
  ~Trial() {
    if (program)
      program.erase();
  }
  /// Whether a plan of its memory fits.
  bool plan(const machine::Machine &machine, int64_t budget);

  Try outcome;
  Shortage shortage;

private:
  npu::ProgramOp program;
};

class Search {
public:
  Search(ModuleOp module, const machine::Machine &machine,
         const SearchOptions &options, KnownParameters &known)
      : module(module), machine(machine), options(options), known(known) {}

  Result<Found> run();
  Refusal refusal;

private:
  void attempt(const Choices &choices);
  void keepNearest(Trial &trial);
  bool isHopeless() const;
  void findRemedies();
  void findSram();
  void findUnpinned();
  tally::Diagnostic refused();

  ModuleOp module;
  const machine::Machine &machine;
  const SearchOptions &options;
  KnownParameters &known;
  std::vector<Try> tries;
  size_t fitting = 0;
  std::optional<size_t> best;
};
} // namespace

Trial::Trial(ModuleOp module, const machine::Machine &machine,
             const Choices &choices, KnownParameters &known) {
  outcome.choices = choices;
  auto made = schedule::schedule(module, machine, choices, &known);
  if (!made) {
    outcome.refusal = made.takeError();
    return;
  }
  program = *made;
  orderCommands(program, machine, choices);
  outcome.estimate = estimate(worksOf(program, machine), machine);
}

bool Trial::plan(const machine::Machine &machine, int64_t budget) {
  AddressOptions options;
  options.budget = budget;
  auto plans = planMemory(program, machine, options, &shortage);
  if (!plans)
    outcome.refusal = plans.takeError();
  const MemoryPlans &made = plans ? *plans : shortage.plans;
  bool isWhole = plans || isa::isRegion(shortage.space);
  outcome.globalBytes = isWhole ? made.global.total() : 0;
  return bool(plans);
}

/// How much a shortage lacks, in parts of what there is.
static double distance(const Shortage &shortage) {
  return double(shortage.needed - shortage.allowed) /
         double(std::max<int64_t>(shortage.allowed, 1));
}

void Search::keepNearest(Trial &trial) {
  Shortage &shortage = trial.shortage;
  if (refusal.shortage && distance(*refusal.shortage) <= distance(shortage))
    return;
  refusal.diagnostic = trial.outcome.refusal;
  refusal.choices = trial.outcome.choices;
  refusal.shortage = std::move(shortage);
}

void Search::attempt(const Choices &choices) {
  Trial trial(module, machine, choices, known);
  bool isRun = trial.outcome.estimate.has_value();
  bool isSlower =
      isRun && best &&
      trial.outcome.estimate->cycles >= tries[*best].estimate->cycles;
  if (isSlower) {
    trial.outcome.refusal.message = "slower than another that fits";
    ++fitting;
  } else if (isRun && trial.plan(machine, options.budget)) {
    best = tries.size();
    ++fitting;
  } else if (isRun) {
    keepNearest(trial);
  } else if (!refusal.shortage) {
    refusal.diagnostic = trial.outcome.refusal;
  }
  tries.push_back(std::move(trial.outcome));
}

/// Whether constants, or a buffer of the caller's, are so large for their
/// window that no schedule helps: what schedules repeat of constants for parts,
/// and what they lose to alignment, are less than a sixteenth.
bool Search::isHopeless() const {
  const auto &shortage = refusal.shortage;
  return shortage && shortage->limit == Limit::Window &&
         shortage->space != isa::kArenaRegion &&
         shortage->needed - shortage->allowed > shortage->allowed / 16;
}

Result<Found> Search::run() {
  for (const Choices &choices : candidates(machine, options.pins)) {
    attempt(choices);
    bool canRun = tries.front().estimate.has_value();
    if (fitting >= options.compared || !canRun || isHopeless())
      break;
  }
  if (!best)
    return refused();
  Found found{tries[*best].choices, *tries[*best].estimate, {}};
  found.tries = std::move(tries);
  return found;
}

//===----------------------------------------------------------------------===//
// Remedies
//===----------------------------------------------------------------------===//

/// The smallest SRAM that takes the smallest candidate, between what there is
/// and sixteen times that, to a 64th.
void Search::findSram() {
  machine::Machine larger = machine;
  int64_t unit = machine.sram.alignment * machine.sram.banks;
  auto fits = [&](int64_t bytes) {
    larger.sram.bytes = (bytes + unit - 1) / unit * unit;
    Trial trial(module, larger, refusal.choices, known);
    return trial.outcome.estimate && trial.plan(larger, options.budget);
  };
  int64_t low = machine.sram.bytes;
  int64_t high =
      std::max(refusal.shortage->plans.sram.solution.report.extent, low + unit);
  if (!fits(high))
    return;
  int64_t known = larger.sram.bytes;
  for (int i = 0; i < kHalvings && low + unit < known; ++i) {
    int64_t middle = low + (known - low) / 2;
    if (fits(middle))
      known = larger.sram.bytes;
    else
      low = middle;
  }
  refusal.remedies.push_back({Remedy::Sram, known, refusal.choices});
}

/// The first candidate that fits when nothing is fixed from outside.
void Search::findUnpinned() {
  for (const Choices &choices : candidates(machine, {})) {
    Trial trial(module, machine, choices, known);
    if (!trial.outcome.estimate || !trial.plan(machine, options.budget))
      continue;
    refusal.remedies.push_back({Remedy::Unpin, 0, choices});
    return;
  }
}

void Search::findRemedies() {
  if (options.pins.any())
    findUnpinned();
  const Try *least = nullptr;
  for (const Try &one : tries)
    if (one.globalBytes > 0 && (!least || one.globalBytes < least->globalBytes))
      least = &one;
  if (least && options.budget != memory::kUnlimited) {
    Trial trial(module, machine, least->choices, known);
    if (trial.plan(machine, least->globalBytes))
      refusal.remedies.push_back(
          {Remedy::Budget, least->globalBytes, least->choices});
  }
  if (refusal.shortage->space == isa::kSram)
    findSram();
}

tally::Diagnostic Search::refused() {
  if (refusal.shortage) {
    if (options.findRemedies)
      findRemedies();
    tally::Diagnostic &failure = refusal.diagnostic;
    failure.message += "; of " + std::to_string(tries.size()) +
                       (tries.size() == 1 ? " schedule" : " schedules") +
                       " tried none fits, the nearest has " +
                       choicesText(refusal.choices);
    for (const Remedy &remedy : refusal.remedies)
      failure.hint += (failure.hint.empty() ? "it fits with " : ", or with ") +
                      remedyText(remedy);
    refusal.shortage->diagnostic = failure;
  }
  refusal.tries = std::move(tries);
  return refusal.diagnostic;
}

Result<Found> tally::schedule::searchSchedule(ModuleOp module,
                                              const machine::Machine &machine,
                                              const SearchOptions &options,
                                              KnownParameters &known,
                                              Refusal *refusal) {
  Search search(module, machine, options, known);
  auto found = search.run();
  if (!found && refusal)
    *refusal = std::move(search.refusal);
  return found;
}
