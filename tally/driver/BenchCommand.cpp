//===- BenchCommand.cpp - tally bench -------------------------------------===//
//
// What shares a machine with others is measured in turn: a sample of ours, one
// of the other runtime's, one of what the core can do, and again. A disturbance
// then falls on all of them. Each begins with a run that does not count, so
// that caches and threads are as they are where runs follow one another.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/Codegen.h"
#include "tally/driver/Commands.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/SimulateProgram.h"
#include "tally/driver/bench/BenchReport.h"
#include "tally/driver/bench/CoreSpeed.h"
#include "tally/driver/bench/Measurement.h"
#include "tally/driver/bench/OnnxRuntimeClock.h"
#include "tally/driver/bench/ProgramInputs.h"
#include "tally/runtime/JitProgram.h"
#include "tally/runtime/SegmentFile.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/Progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::bench;

namespace {
/// What the command line asks for.
struct BenchOptions : CompilerArguments {
  int64_t samples = 0;
  bool perLayer = false;
  bool against = false;
  std::string svg;
};

/// One `tally bench`.
class Bench {
public:
  Bench(const Arguments &arguments, BenchOptions options)
      : arguments(arguments), options(std::move(options)) {}

  Result<BenchReport> run();

private:
  Result<runtime::Program> prepareModel();
  Result<cpu::CompiledObject> compileMarked(PhaseRunner &phases,
                                            mlir::ModuleOp module);
  Result<runtime::Program> prepareArtifact();
  Result<std::vector<eval::Tensor>> readInputs(runtime::Context &context);
  Status startRival(const std::vector<eval::Tensor> &inputs);
  Status startThreads(runtime::Context &own,
                      const std::vector<eval::Tensor> &inputs);
  Status measure(TimedProgram &program, CoreSpeed &core);
  void fillLayers(const TimedProgram &program);
  std::string scheduleOf(size_t stage) const;

  const Arguments &arguments;
  const BenchOptions options;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> graph; ///< as imported; none of an artifact
  std::optional<cpu::ClockMarks> marks;
  std::vector<tune::ScheduleRow> schedules; ///< none of an artifact
  std::optional<OnnxRuntimeClock> rival;
  std::optional<TimedProgram> alone; ///< on one thread, beside several
  BenchReport report;
};
} // namespace

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static constexpr uint64_t kDefaultSamples = 30, kMostSamples = 1'000'000;

static Result<int64_t> parseSamples(const Arguments &arguments) {
  auto runs = arguments.number(option::runs);
  if (!runs)
    return runs.takeError();
  uint64_t count = runs->value_or(kDefaultSamples);
  if (count < 2 || count > kMostSamples)
    return usageError("CLI-3", "--runs takes a number from 2 to " +
                                   std::to_string(kMostSamples));
  return static_cast<int64_t>(count);
}

static Result<BenchOptions> parseBenchOptions(const Arguments &arguments) {
  auto parsed = parseCompilerArguments(arguments);
  if (!parsed)
    return parsed.takeError();
  BenchOptions options{std::move(*parsed)};
  if (!arguments.has(option::tiers))
    options.cpu.tiers = hostTier();
  auto samples = parseSamples(arguments);
  if (!samples)
    return samples.takeError();
  options.samples = *samples;
  options.perLayer = arguments.has(option::per_layer);
  options.svg = arguments.value(option::svg);
  if (!options.svg.empty() && !options.perLayer)
    return usageError("CLI-3", "--svg draws layers",
                      "write --per-layer as well");
  std::string other = arguments.value(option::against, "onnxruntime");
  if (other != "onnxruntime")
    return usageError("CLI-3", "nothing runs against '" + other + "'",
                      "write --against onnxruntime");
  options.against = arguments.has(option::against);
  return options;
}

//===----------------------------------------------------------------------===//
// What runs
//===----------------------------------------------------------------------===//

Result<runtime::Program> Bench::prepareArtifact() {
  const std::string &path = options.model.path;
  if (options.perLayer || options.against)
    return usageError("RUN-10",
                      "'" + path + "' is compiled: it has no " +
                          (options.perLayer ? "clock readings for --per-layer"
                                            : "graph for --against"),
                      "name the model instead");
  if (Status status = refuseModelOptions(arguments, path); !status)
    return status.takeError();
  auto program = runtime::loadProgram(path);
  if (program && program->interface().emulated)
    return usageError("RUN-10",
                      "'" + path + "' is emulated: its time says nothing of " +
                          llvm::join(program->interface().tiers, ", "),
                      "compile the model without --emulate");
  return program;
}

/// generateCode with marks.
Result<cpu::CompiledObject> Bench::compileMarked(PhaseRunner &phases,
                                                 mlir::ModuleOp module) {
  auto cpu = prepareCode(phases, module, options);
  if (!cpu)
    return cpu.takeError();
  auto made = cpu::compileMarked(module, *cpu);
  if (!made) {
    tally::Diagnostic failure = made.takeError();
    failure.file = options.model.path;
    return failure;
  }
  if (Status status =
          checkStateCopies(made->compiled.interface, options.maxStateCopies);
      !status)
    return status.takeError();
  marks = std::move(made->marks);
  return std::move(made->compiled);
}

Result<runtime::Program> Bench::prepareModel() {
  PhaseRunner phases(options.control);
  auto module = phases.import(context, options.model);
  if (!module)
    return module.takeError();
  graph = std::move(*module);
  mlir::OwningOpRef<mlir::ModuleOp> copy = graph->clone();
  auto compiled = options.perLayer ? compileMarked(phases, *copy)
                                   : generateCode(phases, *copy, options);
  if (!compiled)
    return compiled.takeError();
  schedules = tune::scheduleRows(*compiled);
  for (const tune::ScheduleRow &row : schedules)
    if (row.transforms)
      report.parts[row.stage] = 0.25;
  if (!options.tune.cache.empty())
    report.schedules = schedules;
  return runtime::jitProgram(compiled->object, std::move(compiled->interface));
}

Result<std::vector<eval::Tensor>> Bench::readInputs(runtime::Context &program) {
  auto random = arguments.number(option::random);
  if (!random)
    return random.takeError();
  return programInputs(program, arguments.values(option::input),
                       random->value_or(0));
}

Status Bench::startRival(const std::vector<eval::Tensor> &inputs) {
  if (!options.against)
    return Status::success();
  auto clock = OnnxRuntimeClock::create(options.model, mainFunction(*graph),
                                        inputs, options.cpu.threads);
  if (!clock)
    return clock.takeError();
  rival.emplace(std::move(*clock));
  return Status::success();
}

/// The strongest of a program's tiers that this machine runs, as the program
/// itself chooses.
static cpu::Tier tierOf(const runtime::Interface &interface) {
  cpu::Tier best = cpu::Tier::Baseline;
  for (cpu::Tier tier : cpu::tiersOfThisMachine())
    if (llvm::is_contained(interface.tiers, cpu::tierName(tier)))
      best = tier;
  return best;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

Status Bench::measure(TimedProgram &program, CoreSpeed &core) {
  Progress progress("measuring", options.samples);
  std::vector<double> ours, theirs, ratios, single, gains;
  for (int64_t i = 0; i < options.samples; ++i) {
    auto seconds = program.sample();
    if (!seconds)
      return seconds.takeError();
    ours.push_back(*seconds);
    if (rival) {
      auto other = rival->sample();
      if (!other)
        return other.takeError();
      theirs.push_back(*other);
      ratios.push_back(*other / *seconds);
    }
    if (alone) {
      auto other = alone->sample();
      if (!other)
        return other.takeError();
      single.push_back(*other);
      gains.push_back(*other / *seconds);
    }
    if (Status status = core.sample(); !status)
      return status;
    progress.advance(1);
  }
  report.seconds = spreadOf(ours);
  report.speed = core.best();
  if (alone)
    report.alone = AloneTime{spreadOf(single), spreadOf(gains)};
  if (rival)
    report.rival = RivalTime{"onnxruntime " + rival->version(),
                             spreadOf(theirs), spreadOf(ratios)};
  return Status::success();
}

/// Of the stage's products; of a few that are alike, one.
std::string Bench::scheduleOf(size_t stage) const {
  for (const tune::ScheduleRow &row : schedules)
    if (row.stage == stage)
      return row.schedule;
  return "";
}

void Bench::fillLayers(const TimedProgram &program) {
  auto seconds = program.kernelSeconds();
  for (auto [i, times] : llvm::enumerate(seconds)) {
    const runtime::StageInterface &stage =
        report.interface.stages[marks->stages[i]];
    report.layers.push_back({stage, spreadOf(times),
                             report.floorOfStage(marks->stages[i]),
                             scheduleOf(marks->stages[i])});
  }
}

/// Gives `own` its threads, and a copy one beside them.
Status Bench::startThreads(runtime::Context &own,
                           const std::vector<eval::Tensor> &inputs) {
  report.threads = options.cpu.threads;
  if (report.threads == 1)
    return Status::success();
  if (Status status = own.setThreads(report.threads); !status)
    return status;
  auto copy = own.clone();
  if (!copy)
    return copy.takeError();
  auto made = TimedProgram::create(std::move(*copy), inputs, std::nullopt);
  if (!made)
    return made.takeError();
  alone.emplace(std::move(*made));
  return Status::success();
}

Result<BenchReport> Bench::run() {
  auto program = runtime::looksLikeArtifact(options.model.path)
                     ? prepareArtifact()
                     : prepareModel();
  if (!program)
    return program.takeError();
  report.model = llvm::sys::path::filename(options.model.path).str();
  report.interface = program->interface();
  cpu::Tier tier = tierOf(report.interface);
  report.tier = cpu::tierName(tier);
  auto own = runtime::Context::create(std::move(*program));
  if (!own)
    return own.takeError();
  auto inputs = readInputs(*own);
  if (!inputs)
    return inputs.takeError();
  if (Status status = startThreads(*own, *inputs); !status)
    return status.takeError();
  if (Status status = startRival(*inputs); !status)
    return status.takeError();
  auto core = CoreSpeed::create(tier, report.interface.constBytes +
                                          report.interface.arenaBytes);
  if (!core)
    return core.takeError();
  auto timed = TimedProgram::create(std::move(*own), std::move(*inputs), marks);
  if (!timed)
    return timed.takeError();
  report.samples = options.samples;
  report.runsPerSample = timed->runsPerSample();
  if (Status status = measure(*timed, *core); !status)
    return status.takeError();
  fillLayers(*timed);
  return std::move(report);
}

/// BENCH-6: what a simulator counts are cycles, not seconds.
static Status refusePrograms(const Arguments &arguments) {
  std::vector<std::string> files = arguments.positional();
  if (files.size() != 1 || !(looksLikeProgram(files.front()) ||
                             runtime::looksLikeSegments(files.front())))
    return Status::success();
  return usageError("BENCH-6",
                    "'" + files.front() +
                        "' is for an accelerator, whose time is simulated",
                    "`tally run` counts its cycles");
}

static Result<int> runBench(const Arguments &arguments) {
  if (Status status = refusePrograms(arguments); !status)
    return status.takeError();
  auto options = parseBenchOptions(arguments);
  if (!options)
    return options.takeError();
  std::string svg = options->svg;
  auto report = Bench(arguments, std::move(*options)).run();
  if (!report)
    return report.takeError();
  if (!svg.empty())
    if (Status status = writeFileAtomically(svg, drawLayers(*report)); !status)
      return status.takeError();
  if (arguments.has(option::json))
    writeReport(llvm::outs(), *report);
  else
    printReport(llvm::outs(), *report);
  return 0;
}

const CommandSpec tally::kBenchCommand = {
    "bench",
    option::InBench,
    " MODEL.onnx|ARTIFACT [OPTIONS]",
    "Measure how fast a model runs here, and how fast it could",
    R"(
Runs the model over and over, on one thread or as many as --threads says, and
prints the median time, the quartiles and the least, beside two rulers that are
measured in turn with it: what this core multiplies and adds at most with the
same instructions, and how fast it reads as many bytes as the model has. The
floor is the least time that they allow; N threads have N times as much. Code is
made for this machine; a compiled library runs as it is. Several threads are
measured beside one.

With --per-layer the code reads the clock between kernels, and nothing else is
different. Measure on a quiet machine: other work makes times longer and spreads
wider. What is compared was run in turn, and before each sample is a run that
does not count.

EXAMPLES:
  tally bench net.onnx --dim N=1
  tally bench net.so --runs 100 --json
  tally bench net.onnx --dim N=1 --per-layer --svg layers.svg
      a table of the layers, and a picture
  tally bench net.onnx --dim N=1 --input image=picture.npy \
      --against onnxruntime
      how many times as long onnxruntime takes, on as many threads
)",
    1,
    runBench};
