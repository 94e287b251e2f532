//===- FuzzMain.cpp - the command tally-fuzz-graphs -----------------------===//

#include "tally/fuzz/FuzzMain.h"
#include "tally/cpu/Emulation.h"
#include "tally/fuzz/Campaign.h"
#include "tally/machine/ShippedMachines.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally;
using namespace tally::fuzz;
namespace cl = llvm::cl;

static cl::OptionCategory kCategory("options of tally-fuzz-graphs");

namespace {
struct Arguments {
  cl::opt<uint64_t> seed{"seed", cl::cat(kCategory), cl::init(1),
                         cl::desc("seed of the first "
                                  "graph; 1 by default")};
  cl::opt<int64_t> count{"count", cl::cat(kCategory), cl::init(2000),
                         cl::desc("number of graphs; 0: no end")};
  cl::opt<double> seconds{"seconds", cl::cat(kCategory), cl::init(0),
                          cl::desc("begin nothing new after that time")};
  cl::opt<int64_t> batch{"batch", cl::cat(kCategory), cl::init(16),
                         cl::desc("graphs that share a function")};
  cl::list<cpu::Tier> tiers{
      "tiers", cl::cat(kCategory), cl::CommaSeparated,
      cl::desc("instruction sets; all by default, those that this "
               "machine lacks emulated"),
      cl::values(clEnumValN(cpu::Tier::Baseline, "x86-64", "SSE2"),
                 clEnumValN(cpu::Tier::Avx2, "avx2", "AVX2"),
                 clEnumValN(cpu::Tier::AvxVnni, "avxvnni", "AVX-VNNI"),
                 clEnumValN(cpu::Tier::Avx512, "avx512vnni", "AVX-512"),
                 clEnumValN(cpu::Tier::Amx, "amx", "AMX"))};
  cl::list<int64_t> threads{
      "thread-counts", cl::cat(kCategory), cl::CommaSeparated,
      cl::desc("numbers of threads; 1, 2, 3 and 7 by default")};
  cl::list<eval::Profile> numerics{
      "numerics", cl::cat(kCategory), cl::CommaSeparated,
      cl::desc("numerics profiles; all by default"),
      cl::values(clEnumValN(eval::Profile::Ideal, "ideal", ""),
                 clEnumValN(eval::Profile::OnnxRuntime, "onnxruntime", ""),
                 clEnumValN(eval::Profile::TfLite, "tflite", ""))};
  cl::opt<bool> phasesOnly{"phases-only", cl::cat(kCategory),
                           cl::desc("the rewrites, without CPU code")};
  cl::opt<bool> streams{"streams", cl::cat(kCategory),
                        cl::desc("each graph also as a stream of calls, whose "
                                 "results are inputs of the next one")};
  cl::list<std::string> machines{
      "machines", cl::cat(kCategory), cl::CommaSeparated,
      cl::desc("accelerators that come with tally: programs for them, "
               "simulated, instead of CPU code")};
  cl::opt<bool> vary{"vary", cl::cat(kCategory),
                     cl::desc("draw changes of the machines")};
  cl::opt<int64_t> syncRegisters{
      "sync-registers", cl::cat(kCategory), cl::init(0),
      cl::desc("synchronization registers of the machines")};
  cl::opt<int64_t> sramBytes{"sram-bytes", cl::cat(kCategory), cl::init(0),
                             cl::desc("SRAM of the machines")};
  cl::opt<machine::SyncKind> syncKind{
      "sync-kind", cl::cat(kCategory),
      cl::desc("what their synchronization registers are"),
      cl::values(clEnumValN(machine::SyncKind::Counter, "counter", ""),
                 clEnumValN(machine::SyncKind::Token, "token", ""),
                 clEnumValN(machine::SyncKind::Flag, "flag", ""))};
  cl::opt<bool> anyOrder{"any-order", cl::cat(kCategory),
                         cl::desc("their engines complete in any order")};
  cl::opt<int64_t> failures{"failures", cl::cat(kCategory), cl::init(5),
                            cl::desc("end after so many failures")};
  cl::opt<unsigned> checkSeconds{
      "check-seconds", cl::cat(kCategory), cl::init(120),
      cl::desc("a batch whose check takes longer fails; 120 by default")};
  cl::opt<double> shrinkSeconds{"shrink-seconds", cl::cat(kCategory),
                                cl::init(120),
                                cl::desc("time to shrink one failure")};
  cl::opt<std::string> folder{"output-dir", cl::cat(kCategory), cl::init("."),
                              cl::desc("where failures are written")};
  cl::opt<bool> needAll{"need-all", cl::cat(kCategory),
                        cl::desc("fail unless every operator was reached")};
  cl::opt<double> mostRefused{"most-refused", cl::cat(kCategory), cl::init(100),
                              cl::desc("fail when more percent of the graphs "
                                       "are refused")};
  cl::opt<std::string> without{
      "without", cl::cat(kCategory),
      cl::desc("a predicate of fusion taken to hold, to see that "
               "its absence is found")};
  cl::opt<bool> isQuiet{"quiet", cl::cat(kCategory),
                        cl::desc("no table of what was reached")};
};
} // namespace

static Accelerator changesOf(const Arguments &arguments) {
  Accelerator changes;
  changes.syncRegisters = arguments.syncRegisters;
  changes.sramBytes = arguments.sramBytes;
  if (arguments.syncKind.getNumOccurrences())
    changes.syncKind = arguments.syncKind;
  changes.completesInAnyOrder = arguments.anyOrder;
  return changes;
}

static CampaignOptions campaignOptions(const Arguments &arguments) {
  CampaignOptions options;
  options.seed = arguments.seed;
  options.count = arguments.count;
  options.seconds = arguments.seconds;
  options.batch = std::max<int64_t>(arguments.batch, 1);
  options.failures = arguments.failures;
  options.checkSeconds = std::max(arguments.checkSeconds.getValue(), 1u);
  options.shrinkSeconds = arguments.shrinkSeconds;
  options.folder = arguments.folder;
  options.without = rewrite::predicateNamed(arguments.without);
  options.profiles.assign(arguments.numerics.begin(), arguments.numerics.end());
  if (options.profiles.empty())
    options.profiles = {eval::Profile::Ideal, eval::Profile::OnnxRuntime,
                        eval::Profile::TfLite};
  options.tiers.assign(arguments.tiers.begin(), arguments.tiers.end());
  if (options.tiers.empty()) {
    options.tiers = cpu::tiersWithEmulation();
    // The best that needs none first, which half of the graphs have.
    std::reverse(options.tiers.begin(), options.tiers.end());
    std::stable_partition(
        options.tiers.begin(), options.tiers.end(),
        [](cpu::Tier tier) { return !cpu::mustEmulate(tier); });
  }
  if (!arguments.threads.empty())
    options.threads.assign(arguments.threads.begin(), arguments.threads.end());
  if (arguments.phasesOnly)
    options.tiers.clear();
  options.machines.assign(arguments.machines.begin(), arguments.machines.end());
  options.changes = changesOf(arguments);
  options.drawsMachines = arguments.vary;
  options.asStreams = arguments.streams;
  return options;
}

/// What the run lacks, as lines; returns how many.
static size_t complain(const Campaign &campaign, const Arguments &arguments) {
  size_t complaints = 0;
  if (arguments.needAll) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    loadDialects(context);
    for (const std::string &what : campaign.coverage().missing(context)) {
      llvm::outs() << "never reached: " << what << "\n";
      ++complaints;
    }
  }
  double refused = 100.0 * static_cast<double>(campaign.refused()) /
                   static_cast<double>(std::max<int64_t>(campaign.graphs(), 1));
  if (refused > arguments.mostRefused) {
    llvm::outs() << "refused are more than " << arguments.mostRefused
                 << " percent of the graphs\n";
    ++complaints;
  }
  return complaints;
}

int fuzz::fuzzMain(int argc, char **argv) {
  Arguments arguments;
  cl::HideUnrelatedOptions(kCategory); // of the libraries
  cl::ParseCommandLineOptions(
      argc, argv, "random graphs against the evaluator (tally/fuzz)\n");
  if (!arguments.without.empty() &&
      !rewrite::predicateNamed(arguments.without)) {
    llvm::errs() << "fusion has no predicate '" << arguments.without << "'\n";
    return 2;
  }
  for (const std::string &name : arguments.machines)
    if (auto machine = machine::findMachine(name); !machine) {
      llvm::errs() << machine.error().str() << "\n";
      return 2;
    }
  Campaign campaign(campaignOptions(arguments), llvm::outs());
  campaign.run();
  if (!arguments.isQuiet)
    campaign.coverage().print(llvm::outs());
  const Coverage &reached = campaign.coverage();
  llvm::outs() << campaign.graphs() << " graphs, "
               << reached.total(Topic::Operator) << " operations ("
               << campaign.dropped() << " drawn in vain), "
               << reached.total(Topic::Anchor) << " chains, "
               << campaign.refused() << " refused, " << campaign.failed()
               << " failed\n";
  size_t complaints = complain(campaign, arguments);
  return campaign.failed() || complaints ? 1 : 0;
}
