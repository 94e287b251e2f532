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

bool Campaign::checkBatch(Seeds seeds, const Setting &setting) {
  // Types and constants live as long as their context: one per batch.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  Graph graph = generate(context, seeds);
  Coverage coverage;
  Outcome outcome =
      checkApart(graph, setting, coverage, options.checkSeconds, true);
  if (outcome.verdict != Verdict::Agrees && seeds.size() > 1) {
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

void Campaign::report(const Graph &graph, Seeds seeds, Setting setting,
                      const Outcome &outcome) {
  ++failures;
  os << "FAILS: seed " << seeds[0];
  if (seeds.size() > 1)
    os << " to " << seeds.back();
  os << " (" << describe(setting) << ") at step " << outcome.step << ": "
     << outcome.message << "\n";
  os.flush();
  if (outcome.step != "code")
    setting.tier.reset();
  Outcome smallest = outcome;
  Graph small = shrink(
      graph,
      [&](const Graph &candidate) {
        Coverage ignored;
        Outcome again =
            checkApart(candidate, setting, ignored, options.checkSeconds, true);
        bool stillFails =
            again.verdict == Verdict::Fails && again.step == outcome.step;
        if (stillFails)
          smallest = again;
        return stillFails;
      },
      options.shrinkSeconds);
  os << "shrunk to " << countOperations(small)
     << " operations: " << smallest.message << "\n"
     << caseText(small, setting)
     << "again: tally-fuzz-graphs --seed=" << seeds[0]
     << " --count=" << seeds.size() << " " << describe(setting) << "\n";
  writeCase(small, setting, seeds[0]);
  os.flush();
}

void Campaign::writeCase(const Graph &graph, const Setting &setting,
                         uint64_t seed) {
  std::string stem = options.folder + "/graph-" + std::to_string(seed);
  auto write = [&](const char *suffix, const std::string &text) {
    if (Status status = writeFileAtomically(stem + suffix, text); !status)
      os << status.error().str() << "\n";
  };
  write(".mlir", caseText(graph, setting));
  if (setting.accelerator) {
    write(".s", programText(graph, *setting.accelerator));
    os << "       the program: " << stem << ".s\n";
  } else {
    os << "       tally-check " << stem << ".mlir --executor=fused,cpu\n";
  }
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
