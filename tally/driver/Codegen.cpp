//===- Codegen.cpp - from an imported graph to an object ------------------===//

#include "tally/driver/Codegen.h"
#include "tally/cpu/Emulation.h"
#include "tally/cpu/SelfTest.h"
#include "tally/cpu/Target.h"
#include "tally/driver/AllNodes.h"
#include "tally/driver/ExplainStates.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/Version.h"
#include "tally/driver/tensors/RandomTensor.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Cost.h"
#include "tally/ops/State.h"
#include "tally/runtime/Host.h"
#include "tally/support/CheckedMath.h"
#include "tally/support/Progress.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace tally;
using llvm::StringRef;

Result<int64_t> tally::parseBytes(const std::string &text) {
  StringRef number = text;
  // "32M" and "32MiB" are the same.
  if (number.ends_with("iB") && number.size() > 2 &&
      StringRef("KMG").contains(number[number.size() - 3]))
    number = number.drop_back(2);
  int64_t unit = number.consume_back("K")   ? int64_t(1) << 10
                 : number.consume_back("M") ? int64_t(1) << 20
                 : number.consume_back("G") ? int64_t(1) << 30
                                            : 1;
  int64_t value = 0;
  bool parsed = !number.getAsInteger(10, value) && value >= 0;
  auto bytes = parsed ? checkedMul(value, unit) : std::nullopt;
  if (!bytes)
    return usageError("CLI-3", "'" + text + "' is no number of bytes",
                      "write for example 65536, 64K or 2MiB");
  return *bytes;
}

static std::string tierNames(cpu::Family family) {
  std::vector<std::string> names;
  for (cpu::Tier tier : cpu::tiersOf(family))
    names.emplace_back(cpu::tierName(tier));
  return "tiers: " + llvm::join(names, ", ");
}

static Result<std::vector<cpu::Tier>>
parseTiers(const std::vector<std::string> &names, cpu::Family family) {
  std::vector<cpu::Tier> known = cpu::tiersOf(family);
  for (const std::string &name : names)
    if (llvm::none_of(
            known, [&](cpu::Tier tier) { return name == cpu::tierName(tier); }))
      return usageError("CLI-3", "there is no tier '" + name + "'",
                        tierNames(family));
  std::vector<cpu::Tier> tiers; // weakest first, whatever the order given
  for (cpu::Tier tier : known)
    if (llvm::is_contained(names, cpu::tierName(tier)))
      tiers.push_back(tier);
  if (tiers.empty())
    return usageError("CLI-3", "--tiers names no tier", tierNames(family));
  return tiers;
}

static Result<cpu::Family> parseFamily(const Arguments &arguments) {
  std::string name = arguments.value(option::cpu_target, "x86_64-linux-gnu");
  if (auto family = cpu::findFamily(name))
    return *family;
  return usageError("CLI-3", "there are no processors '" + name + "'",
                    "targets: x86_64-linux-gnu, aarch64-linux-gnu");
}

/// Code for the processor --cpu alone.
static Status chooseProcessor(std::string name, cpu::Family family,
                              cpu::CpuOptions &options) {
  if (name == "native") {
    if (cpu::familyName(family) != runtime::hostTarget())
      return usageError("CLI-3",
                        "--cpu native is no processor of " +
                            std::string(cpu::familyName(family)),
                        "name it as LLVM does");
    options.tiers = {cpu::tiersOfThisMachine().back()};
    name = llvm::sys::getHostCPUName().str();
    if (llvm::is_contained(cpu::processorNames(family), name))
      options.tune = name;
    return Status::success();
  }
  std::vector<std::string> known = cpu::processorNames(family);
  if (!llvm::is_contained(known, name)) {
    std::string near = nearest(name, known);
    return usageError(
        "CLI-3",
        "there is no processor '" + name + "' of " + cpu::familyName(family),
        near.empty()
            ? "names are LLVM's, such as " +
                  std::string(family == cpu::Family::Arm ? "cortex-a72"
                                                         : "skylake-avx512")
            : "did you mean '" + near + "'?");
  }
  options.tiers = {cpu::tiersOfProcessor(family, name).back()};
  options.tune = name;
  return Status::success();
}

/// After --tiers.
static Status parseEmulation(const Arguments &arguments,
                             cpu::CpuOptions &options) {
  options.emulate = arguments.has(option::emulate);
  // Of several the strongest would always be taken.
  if (options.emulate &&
      (options.tiers.size() != 1 || !cpu::canEmulate(options.tiers.front())))
    return usageError("CLI-3", "--emulate takes one tier of x86-64 beyond avx2",
                      "name avxvnni, avx512vnni or amx");
  for (auto [id, name] : {std::pair(option::tune, "--tune"),
                          std::pair(option::tune_seconds, "--tune"),
                          std::pair(option::tune_cache, "--tune-cache")})
    if (options.emulate && arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) + " has no use with --emulate, whose "
                                            "code is slow whatever its "
                                            "schedules",
                        "leave one of them out");
  return Status::success();
}

/// What --cpu-target, --cpu, --tiers and --emulate ask for.
static Status parseProcessors(const Arguments &arguments,
                              cpu::CpuOptions &options) {
  auto family = parseFamily(arguments);
  if (!family)
    return family.takeError();
  options.tiers = cpu::tiersOf(*family);
  if (arguments.has(option::cpu)) {
    if (arguments.has(option::tiers))
      return usageError("CLI-3", "--cpu and --tiers choose the same",
                        "leave one of them out");
    if (arguments.has(option::emulate))
      return usageError("CLI-3", "--emulate belongs to --tiers, not to --cpu",
                        "write for example --tiers amx --emulate");
    return chooseProcessor(arguments.value(option::cpu), *family, options);
  }
  if (!arguments.has(option::tiers))
    return arguments.has(option::emulate)
               ? usageError("CLI-3", "--emulate belongs to --tiers",
                            "write for example --tiers amx --emulate")
               : Status::success();
  auto tiers = parseTiers(arguments.listOf(option::tiers), *family);
  if (!tiers)
    return tiers.takeError();
  options.tiers = *tiers;
  return parseEmulation(arguments, options);
}

static Result<int64_t> parseThreads(const Arguments &arguments) {
  auto threads = arguments.number(option::threads);
  if (!threads)
    return threads.takeError();
  uint64_t count = threads->value_or(1);
  if (count < 1 || count > runtime::kMostThreads)
    return usageError("CLI-3", "--threads takes a number from 1 to " +
                                   std::to_string(runtime::kMostThreads));
  return static_cast<int64_t>(count);
}

Result<cpu::CpuOptions> tally::parseCpuOptions(const Arguments &arguments,
                                               const ModelArguments &model) {
  cpu::CpuOptions options;
  options.producer = kProducer;
  options.numerics = model.numerics;
  options.staticArena = arguments.has(option::static_arena);
  if (arguments.has(option::budget)) {
    auto bytes = parseBytes(arguments.value(option::budget));
    if (!bytes)
      return bytes.takeError();
    options.budget = *bytes;
  }
  auto threads = parseThreads(arguments);
  if (!threads)
    return threads.takeError();
  options.threads = *threads;
  if (Status status = parseProcessors(arguments, options); !status)
    return status.takeError();
  return options;
}

/// Sets `bytes` to what an option says, if it is given.
static Status readBytes(const Arguments &arguments, option::Id id,
                        int64_t &bytes) {
  if (!arguments.has(id))
    return Status::success();
  auto value = parseBytes(arguments.value(id));
  if (!value)
    return value.takeError();
  bytes = *value;
  return Status::success();
}

Result<rewrite::FusionOptions>
tally::parseFusionOptions(const Arguments &arguments,
                          const cpu::CpuOptions &cpu) {
  rewrite::FusionOptions options = cpuFusion(cpu.numerics);
  for (auto [id, bytes] :
       {std::pair(option::max_table_bytes, &options.maxTableBytes),
        std::pair(option::table_budget, &options.tableBudget)})
    if (Status status = readBytes(arguments, id, *bytes); !status)
      return status.takeError();
  return options;
}

Result<CompilerArguments>
tally::parseCompilerArguments(const Arguments &arguments) {
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  auto control = parsePhaseControl(arguments);
  if (!control)
    return control.takeError();
  auto cpu = parseCpuOptions(arguments, *model);
  if (!cpu)
    return cpu.takeError();
  auto fusion = parseFusionOptions(arguments, *cpu);
  if (!fusion)
    return fusion.takeError();
  auto copies = arguments.number(option::max_state_copies);
  if (!copies)
    return copies.takeError();
  CompilerArguments all{std::move(*model), std::move(*control), std::move(*cpu),
                        std::move(*fusion)};
  if (*copies)
    all.maxStateCopies = static_cast<int64_t>(**copies);
  auto tune = tune::parseTuneArguments(arguments, all.cpu);
  if (!tune)
    return tune.takeError();
  all.tune = std::move(*tune);
  return all;
}

std::vector<cpu::Tier> tally::hostTier() {
  std::vector<cpu::Tier> tiers = cpu::tiersOfThisMachine();
  return {tiers.empty() ? cpu::Tier::Baseline : tiers.back()};
}

/// The exact evaluator makes about 10^9 of them in a second.
static constexpr int64_t kManyMultiplyAdds = 10'000'000'000;

std::optional<std::string> tally::slowSelfTest(mlir::ModuleOp module) {
  double total = 0;
  mlir::Block &body = mainFunction(module).getBody().front();
  for (mlir::Operation &op : body.without_terminator())
    if (op.getNumResults() != 0) // no nn.state_write
      total += static_cast<double>(nn::multiplyAdds(&op).value_or(0));
  if (total < kManyMultiplyAdds)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text)
      << "the self-test first takes " << llvm::format("%.0f", total / 1e9)
      << " billion multiply-adds on the exact evaluator; --no-self-test goes "
         "without it";
  return text;
}

/// Made-up data for all inputs, or all states; nothing when one is of half
/// precision.
static std::optional<std::vector<eval::Tensor>>
madeUp(const std::vector<runtime::TensorInterface> &tensors, uint64_t first) {
  std::vector<eval::Tensor> data;
  for (const runtime::TensorInterface &about : tensors) {
    if (about.element == eval::Element::F16 ||
        about.element == eval::Element::BF16)
      return std::nullopt;
    data.push_back(randomTensor(about, /*seed=*/0, first++));
  }
  return data;
}

Result<std::optional<SelfTestHashes>>
tally::selfTestHashes(mlir::ModuleOp module, const ModelArguments &model) {
  mlir::func::FuncOp function = mainFunction(module);
  auto inputs = madeUp(inputInterface(function), 0);
  std::vector<runtime::TensorInterface> states = statesAbout(function).tensors;
  auto before = madeUp(states, function.getNumArguments());
  if (!inputs || !before)
    return std::optional<SelfTestHashes>();
  eval::StateValues values;
  for (auto [about, tensor] : llvm::zip(states, *before))
    values[about.name] = tensor;
  auto body = function.getBody().front().without_terminator();
  Progress progress("evaluating the self-test",
                    std::distance(body.begin(), body.end()));
  eval::EvaluatorOptions options;
  options.profile = model.numerics;
  options.states = &values;
  options.progress = [&](int64_t, int64_t) { progress.advance(1); };
  auto outputs = eval::evaluate(function, *inputs, options);
  if (!outputs) {
    tally::Diagnostic failure = outputs.takeError();
    failure.file = model.path;
    return failure;
  }
  SelfTestHashes hashes{cpu::outputHash(*outputs), {}};
  for (const auto &[name, tensor] : values)
    hashes.states[name] = cpu::outputHash({tensor});
  return std::optional(std::move(hashes));
}

/// The hash of the outputs and of the states that a run writes.
static uint64_t joined(const SelfTestHashes &hashes, mlir::ModuleOp module) {
  uint64_t all = hashes.outputs;
  for (nn::StateOp state : nn::statesOf(mainFunction(module)))
    if (auto place = nn::placeOf(state); place && place->isWritten)
      all = cpu::joinHashes(all, hashes.states.at(state.getSymName().str()));
  return all;
}

/// The phase codegen alone.
static Result<cpu::CompiledObject>
compileFused(PhaseRunner &phases, mlir::ModuleOp module,
             const CompilerArguments &arguments, cpu::CpuOptions options) {
  Progress progress("compiling");
  options.progress = [&](const char *step) { progress.advance(1, step); };
  if (arguments.selfTest)
    options.selfTest = joined(*arguments.selfTest, module);
  cpu::CompiledObject compiled;
  Status status = phases.run(Phase::Codegen, module, [&]() -> Status {
    auto result = cpu::compile(module, options);
    Status status =
        result ? checkStateCopies(result->interface, arguments.maxStateCopies)
               : result.takeError();
    if (!status) {
      tally::Diagnostic failure = status.takeError();
      failure.file = arguments.model.path;
      return failure;
    }
    compiled = std::move(*result);
    return phases.dump(Phase::Codegen, compiled.object);
  });
  if (!status)
    return status.takeError();
  return compiled;
}

Result<cpu::CpuOptions> tally::prepareCode(PhaseRunner &phases,
                                           mlir::ModuleOp module,
                                           const CompilerArguments &arguments) {
  if (Status status = phases.rewrite(module); !status)
    return status.takeError();
  if (Status status = phases.fuse(module, arguments.fusion); !status)
    return status.takeError();
  if (Status status = phases.placeStates(module, kCpuPlaces); !status)
    return status.takeError();
  cpu::CpuOptions options = arguments.cpu;
  if (!phases.control.reaches(Phase::Codegen))
    return options;
  auto schedules = tune::chooseSchedules(module, options, arguments.tune);
  if (!schedules) {
    tally::Diagnostic failure = schedules.takeError();
    if (failure.file.empty())
      failure.file = arguments.model.path;
    return failure;
  }
  options.schedules = std::move(*schedules);
  return options;
}

Result<cpu::CompiledObject>
tally::generateCode(PhaseRunner &phases, mlir::ModuleOp module,
                    const CompilerArguments &arguments) {
  auto options = prepareCode(phases, module, arguments);
  if (!options)
    return options.takeError();
  if (!phases.control.reaches(Phase::Codegen))
    return cpu::CompiledObject();
  return compileFused(phases, module, arguments, std::move(*options));
}

Result<Executable> tally::compileForHost(PhaseRunner &phases,
                                         mlir::ModuleOp module,
                                         const CompilerArguments &arguments,
                                         Expose expose) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  if (Status status = phases.rewrite(*copy); !status)
    return status.takeError();
  if (expose == Expose::All)
    exposeTensors(mainFunction(*copy));
  if (Status status = phases.fuse(*copy, arguments.fusion); !status)
    return status.takeError();
  if (expose == Expose::Kept)
    exposeTensors(mainFunction(*copy));
  if (Status status = phases.placeStates(*copy, kCpuPlaces); !status)
    return status.takeError();
  auto compiled = compileFused(phases, *copy, arguments, arguments.cpu);
  if (!compiled)
    return compiled.takeError();
  return jitExecutable(std::move(*compiled), arguments.cpu.threads);
}
