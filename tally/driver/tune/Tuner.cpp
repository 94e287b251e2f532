//===- Tuner.cpp - schedules by measurement -------------------------------===//

#include "tally/driver/tune/Tuner.h"
#include "tally/driver/bench/Measurement.h"
#include "tally/driver/bench/ProgramInputs.h"
#include "tally/driver/tune/ScheduleCache.h"
#include "tally/driver/tune/ScheduleSearch.h"
#include "tally/runtime/JitProgram.h"
#include "tally/support/Progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cstdlib>

using namespace tally;
using namespace tally::tune;

/// Programs that run beside the best so far in a round.
static constexpr size_t kChallengers = 3;
/// Samples of each program in a round, and in the last.
static constexpr int kSamples = 6, kLastSamples = 15;

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

std::optional<cpu::Tier> tune::tunedTier(const cpu::CpuOptions &options) {
  std::optional<cpu::Tier> best;
  for (cpu::Tier tier : cpu::tiersOfThisMachine())
    if (llvm::is_contained(options.tiers, tier))
      best = tier;
  return best;
}

static std::string hostCpu() { return llvm::sys::getHostCPUName().str(); }

static Status checkRunsHere(const Arguments &arguments,
                            const cpu::CpuOptions &options) {
  std::string asked = arguments.value(option::cpu);
  if (!asked.empty() && asked != "native" && asked != hostCpu())
    return usageError("TUNE-1",
                      "--tune measures on this processor, " + hostCpu() +
                          ", and --cpu names '" + asked + "'",
                      "tune there, and hand the file over with --tune-cache");
  if (tunedTier(options))
    return Status::success();
  std::vector<std::string> names;
  names.reserve(options.tiers.size());
  for (cpu::Tier tier : options.tiers)
    names.emplace_back(cpu::tierName(tier));
  return usageError(
      "TUNE-1",
      "--tune measures on this processor, which runs no code for " +
          llvm::join(names, ", "),
      "name one of its tiers (`tally version` lists them), or tune where the "
      "code runs and hand the file over with --tune-cache");
}

static Result<std::string> defaultCache() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache)
    return std::string(cache) + "/tally/schedules.json";
  const char *home = std::getenv("HOME");
  if (home && *home)
    return std::string(home) + "/.cache/tally/schedules.json";
  return usageError("TUNE-3",
                    "--tune has no folder for its cache: neither "
                    "XDG_CACHE_HOME nor HOME is set",
                    "name a file with --tune-cache");
}

static constexpr uint64_t kDefaultSeconds = 120, kMostSeconds = 86400;

Result<TuneArguments> tune::parseTuneArguments(const Arguments &arguments,
                                               const cpu::CpuOptions &options) {
  TuneArguments asked;
  asked.cache = arguments.value(option::tune_cache);
  if (arguments.has(option::tune_cache) && asked.cache.empty())
    return usageError("CLI-3", "--tune-cache names no file");
  asked.measures =
      arguments.has(option::tune) || arguments.has(option::tune_seconds);
  if (!asked.measures)
    return asked;
  auto seconds = arguments.number(option::tune_seconds);
  if (!seconds)
    return seconds.takeError();
  uint64_t most = seconds->value_or(kDefaultSeconds);
  if (most < 1 || most > kMostSeconds)
    return usageError("CLI-3", "--tune takes a number of seconds from 1 to " +
                                   std::to_string(kMostSeconds));
  asked.seconds = static_cast<double>(most);
  if (Status status = checkRunsHere(arguments, options); !status)
    return status.takeError();
  if (!asked.cache.empty())
    return asked;
  auto cache = defaultCache();
  if (!cache)
    return cache.takeError();
  asked.cache = *cache;
  return asked;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {
/// One trial as a program. The products of its kernels, in order.
struct TrialProgram {
  bench::TimedProgram timed;
  std::vector<std::vector<cpu::ProductTask>> kernels;

  TrialTimes times() const;
};

/// Makes programs of a graph and times them.
class TrialClock {
public:
  TrialClock(mlir::ModuleOp module, cpu::CpuOptions options, Progress &progress)
      : module(module), options(std::move(options)), progress(progress) {}

  /// The products of the graph.
  Result<std::vector<cpu::ProductTask>> tasks();
  Result<std::vector<TrialTimes>> measure(const std::vector<Trial> &trials,
                                          int samples);

private:
  Result<TrialProgram> prepare(const Trial &trial);

  mlir::ModuleOp module;
  cpu::CpuOptions options;
  Progress &progress;
};
} // namespace

/// Of kernels that share a product the sum; of one kernel the least.
TrialTimes TrialProgram::times() const {
  TrialTimes total;
  auto seconds = timed.kernelSeconds();
  for (const auto &[tasks, samples] : llvm::zip(kernels, seconds))
    for (const cpu::ProductTask &task : tasks)
      total[task] += *llvm::min_element(samples);
  return total;
}

Result<std::vector<cpu::ProductTask>> TrialClock::tasks() {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto products = cpu::productsOf(*copy, options);
  if (!products)
    return products.takeError();
  std::set<cpu::ProductTask> tasks;
  for (const cpu::ScheduledProduct &product : *products)
    if (product.chosen.source == cpu::ChosenSchedule::Source::Model)
      tasks.insert(product.task);
  return std::vector<cpu::ProductTask>(tasks.begin(), tasks.end());
}

Result<TrialProgram> TrialClock::prepare(const Trial &trial) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  cpu::CpuOptions own = options;
  for (const auto &[task, schedule] : trial)
    own.schedules[task].schedule = schedule;
  auto made = cpu::compileMarked(*copy, own);
  if (!made)
    return made.takeError();
  std::vector<std::vector<cpu::ProductTask>> kernels;
  for (size_t stage : made->marks.stages) {
    kernels.emplace_back();
    for (const cpu::ScheduledProduct &product : made->compiled.products)
      if (product.stage == stage && trial.contains(product.task))
        kernels.back().push_back(product.task);
  }
  auto program = runtime::jitProgram(made->compiled.object,
                                     std::move(made->compiled.interface));
  if (!program)
    return program.takeError();
  auto context = runtime::Context::create(std::move(*program));
  if (!context)
    return context.takeError();
  if (Status status = context->setThreads(options.threads); !status)
    return status.takeError();
  auto inputs = bench::programInputs(*context, {}, /*seed=*/0);
  if (!inputs)
    return inputs.takeError();
  auto timed = bench::TimedProgram::create(
      std::move(*context), std::move(*inputs), std::move(made->marks));
  if (!timed)
    return timed.takeError();
  return TrialProgram{std::move(*timed), std::move(kernels)};
}

Result<std::vector<TrialTimes>>
TrialClock::measure(const std::vector<Trial> &trials, int samples) {
  std::vector<TrialProgram> programs;
  for (const Trial &trial : trials) {
    auto program = prepare(trial);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
    progress.advance(1, "programs measured");
  }
  for (int i = 0; i < samples; ++i)
    for (TrialProgram &program : programs)
      if (auto seconds = program.timed.sample(); !seconds)
        return seconds.takeError();
  std::vector<TrialTimes> times;
  times.reserve(programs.size());
  for (const TrialProgram &program : programs)
    times.push_back(program.times());
  return times;
}

/// The search until nothing is left to try, or the time is over.
static Result<cpu::ProductSchedules>
search(TrialClock &clock, ScheduleSearch search, double seconds) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    std::vector<Trial> round = search.nextRound(kChallengers);
    if (round.empty())
      break;
    auto times = clock.measure(round, kSamples);
    if (!times)
      return times.takeError();
    search.take(*times);
  }
  auto times = clock.measure(search.lastRound(), kLastSamples);
  if (!times)
    return times.takeError();
  return search.confirm(*times);
}

Result<cpu::ProductSchedules>
tune::chooseSchedules(mlir::ModuleOp module, const cpu::CpuOptions &options,
                      const TuneArguments &asked) {
  if (asked.cache.empty())
    return cpu::ProductSchedules();
  std::string cpu = options.tune.empty() ? hostCpu() : options.tune;
  Place place = {cpu, options.threads};
  auto cache = ScheduleCache::read(asked.cache, asked.measures);
  if (!cache)
    return cache.takeError();
  cpu::ProductSchedules schedules = cache->at(place);
  if (!asked.measures)
    return schedules;
  cpu::CpuOptions own = options;
  own.tiers = {*tunedTier(options)};
  own.schedules = schedules;
  own.budget = std::nullopt;
  own.staticArena = false;
  Progress progress("tuning");
  TrialClock clock(module, own, progress);
  auto tasks = clock.tasks();
  if (!tasks || tasks->empty())
    return tasks ? Result<cpu::ProductSchedules>(schedules) : tasks.takeError();
  if (Status status = prepareFile(asked.cache); !status)
    return status.takeError();
  auto found = search(clock, ScheduleSearch(*tasks), asked.seconds);
  if (!found)
    return found.takeError();
  if (Status status = addToFile(asked.cache, place, *found); !status)
    return status.takeError();
  schedules.insert(found->begin(), found->end());
  return schedules;
}

std::vector<ScheduleRow>
tune::scheduleRows(const cpu::CompiledObject &compiled) {
  std::vector<ScheduleRow> rows;
  rows.reserve(compiled.products.size());
  for (const auto &[stage, task, chosen] : compiled.products)
    rows.push_back(
        {stage, compiled.interface.stages[stage].node, cpu::tierName(task.tier),
         cpu::textOf(task), cpu::textOf(task, chosen.schedule),
         cpu::textOf(task, cpu::cheapestOf(task)), cpu::nameOf(chosen.source),
         chosen.schedule.transforms, chosen.seconds, chosen.cheapestSeconds});
  return rows;
}
