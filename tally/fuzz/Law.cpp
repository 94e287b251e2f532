//===- Law.cpp - what has to hold for every graph -------------------------===//

#include "tally/fuzz/Law.h"
#include "tally/cpu/Emulation.h"
#include "tally/driver/CpuFusion.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/NpuCompile.h"
#include "tally/driver/RemarkCollector.h"
#include "tally/driver/SimulatedProgram.h"
#include "tally/emit/asm/Assembler.h"
#include "tally/eval/Evaluator.h"
#include "tally/fuzz/Edits.h"
#include "tally/fuzz/Runnable.h"
#include "tally/fuzz/Streams.h"
#include "tally/graph/Rejection.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/layout/Layout.h"
#include "tally/rewrite/quantize/Quantize.h"
#include "tally/rewrite/state/Place.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

using Tensors = std::vector<eval::Tensor>;

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Bit for bit, but for NaNs, which are all alike.
static bool sameElement(const eval::Tensor &a, const eval::Tensor &b,
                        int64_t i) {
  int64_t bytes = eval::byteSize(a.element);
  if (!std::memcmp(a.storage.get() + i * bytes, b.storage.get() + i * bytes,
                   bytes))
    return true;
  return eval::isFloat(a.element) && std::isnan(eval::loadFloat(a, i)) &&
         std::isnan(eval::loadFloat(b, i));
}

static void writeElement(llvm::raw_ostream &os, const eval::Tensor &tensor,
                         int64_t i) {
  if (eval::isFloat(tensor.element))
    os << llvm::format("%.9g", eval::loadFloat(tensor, i));
  else
    os << eval::loadInt(tensor, i);
}

/// The first difference as text, or an empty string.
static std::string difference(const Tensors &found, const Tensors &expected) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (size_t r = 0; r < expected.size(); ++r)
    for (int64_t i = 0, e = expected[r].count(); i < e; ++i) {
      if (sameElement(found[r], expected[r], i))
        continue;
      os << "result " << r << ", element " << i << " is ";
      writeElement(os, found[r], i);
      os << ", the judge says ";
      writeElement(os, expected[r], i);
      return text;
    }
  return text;
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

static Result<Tensors> evaluate(const Graph &graph, const Setting &setting) {
  eval::EvaluatorOptions options;
  options.profile = setting.profile;
  return eval::evaluate(graph.main(), graph.inputs, options);
}

static rewrite::FusionOptions fusionOptions(const Setting &setting) {
  rewrite::FusionOptions options =
      setting.accelerator ? npuFusion() : cpuFusion(setting.profile);
  options.maxTableBytes = setting.tableBytes.value_or(options.maxTableBytes);
  options.tableBudget = setting.tableBudget.value_or(options.tableBudget);
  options.without = setting.without;
  return options;
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

namespace {
/// One graph on its way through the phases.
class Trial {
public:
  Trial(const Graph &graph, const Setting &setting, Coverage &coverage,
        const std::function<void(const char *)> &atStep)
      : graph(graph), setting(setting), coverage(coverage), atStep(atStep),
        work(graph.clone()) {}

  Outcome run();

private:
  bool judge();
  /// Runs `change` on the module, which then is valid and means the same.
  bool phase(const char *name, function_ref<void(ModuleOp)> change);
  bool isValid();
  bool meansTheSame();
  bool fuse();
  bool unfuse();
  bool code();
  Result<Tensors> runCode();
  Result<Tensors> runParts(runtime::Context &context);
  bool program();
  bool simulates(const isa::Program &program, const machine::Machine &machine,
                 std::optional<uint64_t> seed);
  bool stream();
  bool rewritesStream(Graph &stream, const Tensors &wanted);
  Result<Tensors> runStream(Graph &stream);
  Result<Tensors> simulateStream(Graph &stream);

  bool fail(std::string message) {
    outcome.verdict = Verdict::Fails;
    outcome.message = std::move(message);
    return false;
  }
  bool refuse(const tally::Diagnostic &failure);

  const Graph &graph;
  const Setting &setting;
  Coverage &coverage;
  const std::function<void(const char *)> &atStep;
  Graph work;
  Tensors expected;
  Outcome outcome;
};
} // namespace

bool Trial::refuse(const tally::Diagnostic &failure) {
  if (failure.kind != FailureKind::Unsupported &&
      failure.kind != FailureKind::Model)
    return fail(failure.str());
  outcome.verdict = Verdict::Refused;
  // The first line is about one node, others may list more.
  StringRef reason = StringRef(failure.message).split('\n').first;
  outcome.message = failure.rule + ": " + reason.str();
  return false;
}

bool Trial::judge() {
  atStep("judge");
  outcome.step = "judge";
  auto results = evaluate(graph, setting);
  if (!results)
    return refuse(results.error());
  expected = std::move(*results);
  return true;
}

bool Trial::isValid() {
  nn::CapturedRejection rejection(work.module->getContext());
  if (failed(verify(*work.module)))
    return fail("the module is not valid: " + rejection.message());
  if (Status status = rewrite::verifyFused(*work.module); !status)
    return fail(status.error().str());
  return true;
}

bool Trial::meansTheSame() {
  auto results = evaluate(work, setting);
  if (!results)
    return fail("the evaluator refuses what it left: " + results.error().str());
  std::string text = difference(*results, expected);
  return text.empty() || fail(text);
}

bool Trial::phase(const char *name, function_ref<void(ModuleOp)> change) {
  atStep(name);
  outcome.step = name;
  change(*work.module);
  return isValid() && meansTheSame();
}

bool Trial::fuse() {
  rewrite::FusionOptions options = fusionOptions(setting);
  if (!phase("fusion",
             [&](ModuleOp module) { rewrite::fuse(module, options); }))
    return false;
  std::string once = textOf(*work.module);
  Graph again = work.clone();
  rewrite::fuse(*again.module, options);
  return textOf(*again.module) == once ||
         fail("fusing again changes the module");
}

bool Trial::unfuse() {
  Graph fused = std::exchange(work, work.clone());
  bool holds = phase("unfuse", rewrite::unfuse);
  bool isLeft = false;
  work.module->walk([&](nn::FusedOp) { isLeft = true; });
  work = std::move(fused);
  return holds && (!isLeft || fail("a chain is left"));
}

/// The object in memory, ready to run.
static Result<runtime::Context> load(ModuleOp module,
                                     const cpu::CpuOptions &options) {
  auto compiled = cpu::compile(module, options);
  if (!compiled)
    return compiled.takeError();
  auto program =
      runtime::jitProgram(compiled->object, std::move(compiled->interface));
  if (!program)
    return program.takeError();
  return runtime::Context::create(std::move(*program));
}

Result<Tensors> Trial::runCode() {
  cpu::CpuOptions options;
  options.numerics = setting.profile;
  options.tiers = {*setting.tier};
  options.emulate = cpu::mustEmulate(*setting.tier);
  options.threads = setting.threads;
  options.leastSplit = 0;
  auto context = load(*work.module, options);
  if (!context)
    return context.takeError();
  return setting.threads == 1 ? context->run(graph.inputs) : runParts(*context);
}

/// Parts one after the other, the last one first, and then by threads: what one
/// part takes from another is found by the one or the other.
Result<Tensors> Trial::runParts(runtime::Context &context) {
  auto lastFirst = [](void *, int32_t most, runtime::ParallelTask task,
                      void *data) {
    for (int32_t part = most; part-- > 0;)
      task(data, part, most);
  };
  if (Status status = context.setParallelFor(lastFirst, nullptr); !status)
    return status.takeError();
  auto results = context.run(graph.inputs);
  if (!results || !difference(*results, expected).empty())
    return results;
  if (Status status = context.setThreads(setting.threads); !status)
    return status.takeError();
  return context.run(graph.inputs);
}

bool Trial::code() {
  atStep("code");
  outcome.step = "code";
  auto results = runCode();
  if (!results)
    return refuse(results.error());
  std::string text = difference(*results, expected);
  return text.empty() || fail(text);
}

bool Trial::simulates(const isa::Program &program,
                      const machine::Machine &machine,
                      std::optional<uint64_t> seed) {
  simulator::RunOptions options;
  options.audit = true;
  options.perturbation = seed;
  auto results =
      simulateOnTensors(program, machine, graph.inputs, expected, options);
  if (!results)
    return fail(results.error().str());
  std::string text = difference(*results, expected);
  return text.empty() || fail(text);
}

bool Trial::program() {
  atStep("program");
  outcome.step = "program";
  machine::Machine machine = setting.accelerator->describe();
  Graph scheduled = work.clone();
  auto program = makeProgram(*scheduled.module, machine);
  if (!program)
    return refuse(program.error());
  atStep("check");
  outcome.step = "check";
  if (Status status = prove(*program, machine); !status)
    return fail(status.error().str());
  atStep("simulate");
  outcome.step = "simulate";
  return simulates(*program, machine, std::nullopt) &&
         simulates(*program, machine, 1) && simulates(*program, machine, 2);
}

//===----------------------------------------------------------------------===//
// With states
//===----------------------------------------------------------------------===//

/// The phases before code; what they leave means the same.
bool Trial::rewritesStream(Graph &stream, const Tensors &wanted) {
  rewrite::quantize(*stream.module);
  rewrite::layout(*stream.module);
  rewrite::fuse(*stream.module, fusionOptions(setting));
  auto results = evaluateStream(stream, setting.profile);
  if (!results)
    return fail("the evaluator refuses the rewritten graph: " +
                results.error().str());
  std::string text = difference(*results, wanted);
  return text.empty() || fail(text);
}

Result<Tensors> Trial::runStream(Graph &stream) {
  rewrite::placeStates(*stream.module,
                       {.inPlace = true, .rings = true, .ringsDown = true});
  cpu::CpuOptions options;
  options.numerics = setting.profile;
  options.tiers = {*setting.tier};
  options.emulate = cpu::mustEmulate(*setting.tier);
  auto context = load(*stream.module, options);
  if (!context)
    return context.takeError();
  Tensors all;
  for (int call = 0; call < kCalls; ++call) {
    auto results = context->run(stream.inputs);
    if (!results)
      return results;
    llvm::append_range(all, *results);
  }
  auto states = context->states();
  if (!states)
    return states.takeError();
  for (auto &[name, tensor] : *states)
    all.push_back(tensor);
  return all;
}

Result<Tensors> Trial::simulateStream(Graph &stream) {
  machine::Machine machine = setting.accelerator->describe();
  std::vector<runtime::TensorInterface> about = outputInterface(stream.main());
  PhaseRunner phases{PhaseControl()};
  if (Status status = placeStatesForMachine(phases, *stream.module, machine);
      !status)
    return status.takeError();
  auto program = provenProgram(*stream.module, machine);
  if (!program)
    return program.takeError();
  auto simulated = SimulatedProgram::create(machine, std::move(*program));
  if (!simulated)
    return simulated.takeError();
  simulator::RunOptions options;
  options.audit = true;
  Tensors all;
  for (int call = 0; call < kCalls; ++call) {
    auto outcome = simulated->run(stream.inputs, options);
    if (!outcome)
      return outcome.takeError();
    if (outcome->fault)
      return tally::Diagnostic{FailureKind::Internal,
                               "a command of the stream faults", "FUZZ"};
    llvm::append_range(all, simulated->results(about));
  }
  auto states = simulated->states().values();
  if (!states)
    return states.takeError();
  for (auto &[name, tensor] : *states)
    all.push_back(tensor);
  return all;
}

bool Trial::stream() {
  auto stream = streamOf(graph);
  if (!stream)
    return true;
  atStep("stream");
  outcome.step = "stream";
  auto wanted = evaluateStream(*stream, setting.profile);
  if (!wanted)
    return refuse(wanted.error());
  if (!rewritesStream(*stream, *wanted))
    return false;
  auto results =
      setting.accelerator ? simulateStream(*stream) : runStream(*stream);
  if (!results)
    return refuse(results.error());
  std::string text = difference(*results, *wanted);
  return text.empty() || fail(text);
}

Outcome Trial::run() {
  coverage.countImported(graph.main());
  bool holds = judge() && phase("quantize", rewrite::quantize) &&
               phase("layout", rewrite::layout) && fuse() && unfuse();
  if (holds)
    coverage.countRewritten(work.main());
  if (holds && setting.accelerator)
    holds = program();
  else if (holds && setting.tier)
    holds = code();
  if (holds && setting.asStream && (setting.accelerator || setting.tier))
    stream();
  return std::move(outcome);
}

static Graph namedPart(const Graph &graph, const Accelerator &accelerator,
                       Coverage &coverage) {
  Graph named = graph.clone();
  nameAll(named);
  return runnablePart(named, accelerator.describe(), coverage);
}

/// On a machine, of the part that it runs.
static Outcome runTrial(const Graph &graph, const Setting &setting,
                        Coverage &coverage,
                        const std::function<void(const char *)> &atStep) {
  if (!setting.accelerator)
    return Trial(graph, setting, coverage, atStep).run();
  atStep("program");
  Graph part = namedPart(graph, *setting.accelerator, coverage);
  if (countOperations(part) == 0)
    return {Verdict::Refused, "program", "nothing of it is left"};
  return Trial(part, setting, coverage, atStep).run();
}

Outcome fuzz::check(const Graph &graph, const Setting &setting,
                    Coverage &coverage,
                    const std::function<void(const char *)> &atStep) {
  auto remarks = RemarkCollector::start(*graph.module.get().getContext(),
                                        remarkCategories(), /*yamlFile=*/"");
  if (!remarks)
    return {Verdict::Fails, "remarks", remarks.error().str()};
  Outcome outcome = runTrial(graph, setting, coverage, atStep);
  if (auto explanation = (*remarks)->finish())
    for (const report::Decision &decision : explanation->decisions)
      coverage.count(Topic::Decision, explanation->kinds[decision.kind].code);
  if (outcome.verdict == Verdict::Refused)
    coverage.count(Topic::Refusal, outcome.message);
  return outcome;
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

std::string fuzz::describe(const Setting &setting) {
  std::string text = std::string("--numerics=") + profileName(setting.profile);
  if (setting.asStream)
    text += " --streams";
  if (setting.accelerator)
    return text + " " + optionsOf(*setting.accelerator);
  if (setting.tier)
    text += std::string(" --tiers=") + cpu::tierName(*setting.tier) +
            " --thread-counts=" + std::to_string(setting.threads);
  return text;
}

static ArrayAttr elementsOf(MLIRContext *context, const Tensors &tensors) {
  SmallVector<Attribute> list;
  for (const eval::Tensor &tensor : tensors)
    list.push_back(nn::elementsAttr(context, tensor, "t"));
  return ArrayAttr::get(context, list);
}

static std::string caseText(const Graph &graph, const Tensors *expected) {
  Graph copy = graph.clone();
  MLIRContext *context = copy.module->getContext();
  func::FuncOp main = copy.main();
  main->setAttr("inputs", elementsOf(context, graph.inputs));
  if (expected)
    main->setAttr("expected", elementsOf(context, *expected));
  return textOf(*copy.module) + "\n";
}

std::string fuzz::caseText(const Graph &graph, const Setting &setting) {
  auto expected = evaluate(graph, setting);
  return ::caseText(graph, expected ? &*expected : nullptr);
}

std::string fuzz::inputsText(const Graph &graph) {
  return ::caseText(graph, nullptr);
}

std::string fuzz::programText(const Graph &graph,
                              const Accelerator &accelerator) {
  Coverage ignored;
  Graph part = namedPart(graph, accelerator, ignored);
  rewrite::quantize(*part.module);
  rewrite::layout(*part.module);
  rewrite::fuse(*part.module, npuFusion());
  auto program = makeProgram(*part.module, accelerator.describe());
  return program ? isa::disassemble(*program) : "";
}
