//===- Campaign.cpp - many random graphs against the law ------------------===//

#include "tally/fuzz/Campaign.h"
#include "tally/fuzz/Edits.h"
#include "tally/fuzz/Random.h"
#include "tally/fuzz/Shrink.h"
#include "tally/support/AtomicFile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

using Clock = std::chrono::steady_clock;

Accelerator Campaign::acceleratorOf(uint64_t seed) const {
  Random random(~seed);
  if (options.drawsMachines)
    return drawAccelerator(random, options.machines);
  Accelerator accelerator = options.changes;
  accelerator.machine = random.pick(ArrayRef(options.machines));
  return accelerator;
}

Setting Campaign::settingOf(uint64_t seed) const {
  Random random(~seed);
  Setting setting;
  setting.without = options.without;
  setting.asStream = options.asStreams;
  if (!options.machines.empty()) {
    setting.accelerator = acceleratorOf(seed);
    return setting;
  }
  setting.profile = random.chance(60) ? options.profiles[0]
                                      : random.pick(ArrayRef(options.profiles));
  if (!options.tiers.empty())
    setting.tier = random.chance(50) ? options.tiers[0]
                                     : random.pick(ArrayRef(options.tiers));
  if (random.chance(10))
    setting.tableBytes = random.pick({16, 256, 4096});
  if (random.chance(10))
    setting.tableBudget = random.pick({256, 512, 70000});
  setting.threads = random.pick(ArrayRef(options.threads));
  return setting;
}

static std::string seedsText(llvm::ArrayRef<uint64_t> seeds) {
  std::string text = "seed " + std::to_string(seeds.front());
  if (seeds.size() > 1)
    text += " to " + std::to_string(seeds.back());
  return text;
}

Graph Campaign::generateInTime(MLIRContext &context, Seeds seeds) {
  Watchdog watchdog(options.checkSeconds,
                    "FAILS: " + seedsText(seeds) +
                        " at step generate: no end after " +
                        std::to_string(options.checkSeconds) + " s\n");
  return generate(context, seeds);
}

Outcome Campaign::checkInTime(const Graph &graph, const Setting &setting,
                              Coverage &coverage) {
  return checkApart(graph, setting, coverage, options.checkSeconds,
                    /*isQuiet=*/true, options.law);
}

bool Campaign::checkBatch(Seeds seeds, const Setting &setting) {
  // Types and constants live as long as their context: one per batch.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  Graph graph = generateInTime(context, seeds);
  Coverage coverage;
  Outcome outcome = checkInTime(graph, setting, coverage);
  if (outcome.verdict != Verdict::Agrees && seeds.size() > 1) {
    // Halving and shrinking can take long, or be cut off.
    if (outcome.verdict == Verdict::Fails) {
      os << "among " << seedsText(seeds) << ": " << outcome.message << "\n";
      os.flush();
    }
    size_t half = seeds.size() / 2;
    bool found = checkBatch(seeds.take_front(half), setting);
    found |= checkBatch(seeds.drop_front(half), setting);
    if (found || outcome.verdict == Verdict::Refused)
      return found;
  } else {
    reached.add(coverage);
    checked += static_cast<int64_t>(seeds.size());
    droppedOperations += graph.dropped;
    refusals += outcome.verdict == Verdict::Refused;
  }
  if (outcome.verdict != Verdict::Fails)
    return false;
  report(graph, seeds, setting, outcome);
  return true;
}

Graph Campaign::smallest(const Graph &graph, const Setting &setting,
                         Outcome &outcome) {
  std::string step = outcome.step;
  return shrink(
      graph,
      [&](const Graph &candidate) {
        Coverage ignored;
        Outcome again = checkInTime(candidate, setting, ignored);
        bool stillFails = again.verdict == Verdict::Fails && again.step == step;
        if (stillFails)
          outcome = again;
        return stillFails;
      },
      options.shrinkSeconds);
}

/// Apart, like the next: the judge may be what fails.
std::string Campaign::textOf(const Graph &graph, const Setting &setting) {
  Ending ending =
      runApart(options.checkSeconds, /*isQuiet=*/true,
               [&](const Writer &write) { write(caseText(graph, setting)); });
  return ending.death.empty() ? ending.text : inputsText(graph);
}

void Campaign::write(const std::string &path, const std::string &text) {
  if (Status status = writeFileAtomically(path, text); !status)
    os << status.error().str() << "\n";
}

void Campaign::writeProgram(const Graph &graph, const Accelerator &accelerator,
                            const std::string &path) {
  Ending ending = runApart(
      options.checkSeconds, /*isQuiet=*/true,
      [&](const Writer &write) { write(programText(graph, accelerator)); });
  write(path, ending.text);
  os << "       the program: " << path
     << (ending.death.empty() ? "" : ", cut off: " + ending.death) << "\n";
}

void Campaign::report(const Graph &graph, Seeds seeds, Setting setting,
                      const Outcome &outcome) {
  ++failures;
  os << "FAILS: " << seedsText(seeds) << " (" << describe(setting)
     << ") at step " << outcome.step << ": " << outcome.message << "\n";
  os.flush();
  if (outcome.step != "code" && outcome.step != "stream")
    setting.tier.reset();
  Outcome last = outcome;
  Graph small = smallest(graph, setting, last);
  std::string text = textOf(small, setting);
  std::string stem = options.folder + "/graph-" + std::to_string(seeds[0]);
  os << "shrunk to " << countOperations(small)
     << " operations: " << last.message << "\n"
     << text << "again: tally-fuzz-graphs --seed=" << seeds[0]
     << " --count=" << seeds.size() << " " << describe(setting) << "\n";
  write(stem + ".mlir", text);
  if (setting.accelerator)
    writeProgram(small, *setting.accelerator, stem + ".s");
  else
    os << "       tally-check " << stem << ".mlir --executor=fused,cpu\n";
  os.flush();
}

void Campaign::run() {
  auto begin = Clock::now();
  auto isOver = [&](int64_t done) {
    std::chrono::duration<double> time = Clock::now() - begin;
    return (options.count && done >= options.count) ||
           (options.seconds > 0 && time.count() >= options.seconds) ||
           failures >= options.failures;
  };
  for (int64_t done = 0; !isOver(done);) {
    int64_t size = options.count ? std::min(options.batch, options.count - done)
                                 : options.batch;
    uint64_t first = options.seed + static_cast<uint64_t>(done);
    std::vector<uint64_t> seeds(
        llvm::seq<uint64_t>(first, first + size).begin(),
        llvm::seq<uint64_t>(first, first + size).end());
    checkBatch(seeds, settingOf(first));
    done += size;
  }
}
