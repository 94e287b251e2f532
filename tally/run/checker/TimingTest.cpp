//===- TimingTest.cpp - what the simulator says of accepted programs ------===//
//
// The simulator runs programs with times that are perturbed at random. Accepted
// programs, and mutants that the checker accepts, must give equal results in
// all of them.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Checker.h"
#include "tally/run/checker/TestMutants.h"
#include "tally/run/checker/TestPrograms.h"
#include "tally/run/simulator/Simulator.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tally;
using namespace tally::checker;
using simulator::Simulator;

namespace {
/// A program on a simulated machine, with memory for its buffers.
class Bench {
public:
  explicit Bench(const Subject &subject);
  /// The outputs, one after the other, or the fault.
  std::string run(std::optional<uint64_t> seed);

private:
  std::unique_ptr<Simulator> simulated;
  std::vector<std::vector<uint8_t>> buffers; ///< by binding
  std::vector<simulator::Binding> bindings;
};
} // namespace

Bench::Bench(const Subject &subject) {
  auto made = Simulator::create(subject.machine, programOf(subject));
  EXPECT_TRUE(made) << made.error().str();
  simulated = std::move(*made);
  bindings = *simulated->place();
  for (simulator::Binding &binding : bindings)
    for (const simulator::Region &region : simulated->regions())
      if (region.number == binding.region)
        buffers.emplace_back(region.bytes);
}

std::string Bench::run(std::optional<uint64_t> seed) {
  for (size_t i = 0; i < bindings.size(); ++i) {
    std::iota(buffers[i].begin(), buffers[i].end(), uint8_t(7 * i));
    if (bindings[i].region >= isa::kContextRegion)
      bindings[i].bytes = buffers[i];
  }
  simulator::RunOptions options;
  options.perturbation = seed;
  options.maxInstructions = 100000;
  Result<simulator::Outcome> outcome = simulated->run(bindings, options);
  if (!outcome)
    return outcome.error().str();
  if (outcome->fault)
    return "fault";
  std::string bytes;
  for (const std::vector<uint8_t> &buffer : buffers)
    bytes.append(buffer.begin(), buffer.end());
  return bytes;
}

static void expectEqualResults(const Subject &subject, uint64_t seeds,
                               const std::string &what = "") {
  Bench bench(subject);
  std::string expected = bench.run(std::nullopt);
  EXPECT_NE(expected, "fault") << what;
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    ASSERT_EQ(bench.run(seed), expected) << what << ", seed " << seed;
}

/// Of the programs that the checker rejects, at least one must be seen to go
/// wrong: the test can fail.
static void judgeMutants(const Subject &original) {
  int seen = 0;
  for (const Mutant &mutant : mutantsOf(original)) {
    Result<Verdict> verdict =
        check(mutant.subject, {.limits = {100000, 10000}});
    if (verdict && verdict->isAccepted) {
      expectEqualResults(mutant.subject, 20, mutant.what);
      continue;
    }
    if (!isa::checkProgram(programOf(mutant.subject)))
      continue;
    Bench bench(mutant.subject);
    std::string first = bench.run(std::nullopt);
    seen += first == "fault" || bench.run(1) != first || bench.run(2) != first;
  }
  EXPECT_GE(seen, 10);
}

static std::vector<Subject> programs() {
  return {ringProgram(2, 20),         ringProgram(3, 20),
          ringProgram(4, 20),         ringProgram(3, 10, false),
          tokenRing(3, 20),           flagRing(3, 20),
          doubleBufferedMatmul(4, 5), convolutionPipeline(20)};
}

TEST(Timing, acceptedProgramsGiveEqualResults) {
  for (const Subject &subject : programs()) {
    EXPECT_TRUE(check(subject)->isAccepted);
    expectEqualResults(subject, 1000);
  }
}

TEST(Timing, acceptedMutantsGiveEqualResults) {
  judgeMutants(ringProgram(2, 6));
  judgeMutants(tokenRing(2, 6));
  judgeMutants(flagRing(2, 6));
  judgeMutants(doubleBufferedMatmul(2, 3));
  judgeMutants(convolutionPipeline(6));
}
