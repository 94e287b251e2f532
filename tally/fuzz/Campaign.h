//===- Campaign.h - many random graphs against the law ----------*- C++ -*-===//
//
// Graphs of consecutive seeds, in batches of one function each. A batch that
// is refused is halved until the graphs that are refused stand alone, so that
// the others are checked all the same; one that fails is halved likewise, then
// shrunk, printed and written to a file.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_CAMPAIGN_H
#define TALLY_FUZZ_CAMPAIGN_H

#include "tally/fuzz/Apart.h"

namespace tally::fuzz {

struct CampaignOptions {
  uint64_t seed = 1;
  int64_t count = 2000; ///< graphs; 0: no end
  double seconds = 0;   ///< no new batch after that many; 0: no end
  int64_t batch = 16;   ///< graphs in one function
  int64_t failures = 5; ///< ends after so many
  double shrinkSeconds = 120;
  /// What takes longer fails: a check of a batch, or its generation.
  unsigned checkSeconds = 120;
  std::string folder = "."; ///< for the files of failures
  /// Batches take turns; the first tier gets more than half of them.
  std::vector<eval::Profile> profiles;
  std::vector<cpu::Tier> tiers;                ///< empty: no code
  std::vector<int64_t> threads = {1, 2, 3, 7}; ///< that work on the code
  /// Programs for these, by name, instead of code, under IDEAL.
  std::vector<std::string> machines;
  Accelerator changes;                       ///< of each of them
  bool drawsMachines = false;                ///< changes are drawn
  std::optional<rewrite::Predicate> without; ///< a planted fault
  bool asStreams = false;                    ///< Setting::asStream
  Check law = check;                         ///< other ones in tests
};

class Campaign {
public:
  Campaign(CampaignOptions options, llvm::raw_ostream &os)
      : options(std::move(options)), os(os) {}

  void run();

  const Coverage &coverage() const { return reached; }
  int64_t graphs() const { return checked; }
  int64_t refused() const { return refusals; }
  int64_t failed() const { return failures; }
  /// Operations that recipes drew in vain, of all that stayed.
  int64_t dropped() const { return droppedOperations; }

private:
  using Seeds = llvm::ArrayRef<uint64_t>;

  Setting settingOf(uint64_t seed) const;
  Accelerator acceleratorOf(uint64_t seed) const;
  Graph generateInTime(mlir::MLIRContext &context, Seeds seeds);
  /// Whether a failure was found among `seeds`.
  bool checkBatch(Seeds seeds, const Setting &setting);
  Outcome checkInTime(const Graph &graph, const Setting &setting,
                      Coverage &coverage);
  void report(const Graph &graph, Seeds seeds, Setting setting,
              const Outcome &outcome);
  /// The smallest graph that fails at the same step, and how it fails.
  Graph smallest(const Graph &graph, const Setting &setting, Outcome &outcome);
  std::string textOf(const Graph &graph, const Setting &setting);
  void writeProgram(const Graph &graph, const Accelerator &accelerator,
                    const std::string &path);
  void write(const std::string &path, const std::string &text);

  CampaignOptions options;
  llvm::raw_ostream &os;
  Coverage reached;
  int64_t checked = 0, refusals = 0, failures = 0, droppedOperations = 0;
};

} // namespace tally::fuzz

#endif // TALLY_FUZZ_CAMPAIGN_H
