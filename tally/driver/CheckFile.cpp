//===- CheckFile.cpp - test cases in nn modules ---------------------------===//

#include "tally/driver/CheckFile.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/Emulation.h"
#include "tally/driver/CpuFusion.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/layout/Layout.h"
#include "tally/rewrite/quantize/Quantize.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace tally;

namespace {
struct Executor {
  std::string name;
  std::function<Result<std::vector<eval::Tensor>>(
      func::FuncOp, const std::vector<eval::Tensor> &)>
      run;
};
} // namespace

static std::vector<eval::Tensor> tensors(func::FuncOp function,
                                         StringRef attribute, TypeRange types) {
  std::vector<eval::Tensor> result;
  auto list = function->getAttrOfType<ArrayAttr>(attribute);
  if (!list)
    return result;
  for (auto [value, type] : llvm::zip(list, types))
    result.push_back(nn::hostTensor(cast<ElementsAttr>(value),
                                    cast<RankedTensorType>(type)));
  return result;
}

static std::string elementText(const eval::Tensor &tensor, int64_t i) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (eval::isFloat(tensor.element))
    os << llvm::format("%.9g", eval::loadFloat(tensor, i));
  else
    os << eval::loadInt(tensor, i);
  return text;
}

static bool sameElement(const eval::Tensor &a, const eval::Tensor &b,
                        int64_t i) {
  int64_t bytes = eval::byteSize(a.element);
  if (!std::memcmp(a.storage.get() + i * bytes, b.storage.get() + i * bytes,
                   bytes))
    return true;
  return eval::isFloat(a.element) && std::isnan(eval::loadFloat(a, i)) &&
         std::isnan(eval::loadFloat(b, i));
}

/// The first difference as text, or an empty string.
static std::string difference(const eval::Tensor &found,
                              const eval::Tensor &expected) {
  for (int64_t i = 0, e = expected.count(); i < e; ++i)
    if (!sameElement(found, expected, i))
      return "element " + std::to_string(i) + " is " + elementText(found, i) +
             ", expected " + elementText(expected, i);
  return "";
}

static bool check(func::FuncOp function, const Executor &executor) {
  auto report = [&](const std::string &text) {
    llvm::outs() << function.getName() << " (" << executor.name << "): " << text
                 << "\n";
    return false;
  };
  auto inputs = tensors(function, "inputs", function.getArgumentTypes());
  auto expected = tensors(function, "expected", function.getResultTypes());
  auto results = executor.run(function, inputs);
  if (!results)
    return report("error: " + results.error().str());
  if (results->size() != expected.size())
    return report("the case states " + std::to_string(expected.size()) +
                  " results");
  for (size_t i = 0; i < expected.size(); ++i)
    if (auto text = difference((*results)[i], expected[i]); !text.empty())
      return report("result " + std::to_string(i) + ": " + text);
  return true;
}

static std::optional<eval::Profile> profileOf(StringRef name) {
  if (name == "ideal")
    return eval::Profile::Ideal;
  if (name == "onnxruntime")
    return eval::Profile::OnnxRuntime;
  if (name == "tflite")
    return eval::Profile::TfLite;
  return std::nullopt;
}

static Executor evaluator(eval::Profile profile) {
  return {"eval", [profile](func::FuncOp function,
                            const std::vector<eval::Tensor> &inputs) {
            eval::EvaluatorOptions options;
            options.profile = profile;
            return eval::evaluate(function, inputs, options);
          }};
}

/// A copy of the function as `main`, quantized and fused.
static Result<OwningOpRef<ModuleOp>> fusedCopy(func::FuncOp function,
                                               eval::Profile profile) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  func::FuncOp copy = function.clone();
  copy.setName("main");
  module->push_back(copy);
  rewrite::quantize(*module);
  rewrite::layout(*module);
  rewrite::fuse(*module, cpuFusion(profile));
  if (Status status = rewrite::verifyFused(*module); !status)
    return status.takeError();
  return module;
}

static Executor fusedEvaluator(eval::Profile profile) {
  return {
      "fused",
      [profile](func::FuncOp function, const std::vector<eval::Tensor> &inputs)
          -> Result<std::vector<eval::Tensor>> {
        auto module = fusedCopy(function, profile);
        if (!module)
          return module.takeError();
        eval::EvaluatorOptions options;
        options.profile = profile;
        return eval::evaluate(*(*module)->getOps<func::FuncOp>().begin(),
                              inputs, options);
      }};
}

/// Compiles a copy of the function for one tier and runs it here.
static Result<std::vector<eval::Tensor>>
runOnCpu(func::FuncOp function, const std::vector<eval::Tensor> &inputs,
         cpu::Tier tier, eval::Profile profile) {
  auto module = fusedCopy(function, profile);
  if (!module)
    return module.takeError();
  cpu::CpuOptions options;
  options.numerics = profile;
  options.tiers = {tier};
  options.emulate = cpu::mustEmulate(tier);
  auto compiled = cpu::compile(**module, options);
  if (!compiled)
    return compiled.takeError();
  auto program =
      runtime::jitProgram(compiled->object, std::move(compiled->interface));
  if (!program)
    return program.takeError();
  auto context = runtime::Context::create(std::move(*program));
  if (!context)
    return context.takeError();
  return context->run(inputs);
}

static Executor cpuExecutor(cpu::Tier tier, eval::Profile profile) {
  return {std::string("cpu ") + cpu::tierName(tier),
          [=](func::FuncOp function, const std::vector<eval::Tensor> &inputs) {
            return runOnCpu(function, inputs, tier, profile);
          }};
}

/// Those of this machine, and the strongest, whose kernels are the widest; what
/// is between differs from these in products alone.
static std::vector<cpu::Tier> cpuTiers() {
  std::vector<cpu::Tier> tiers = cpu::tiersOfThisMachine();
  if (cpu::Tier best = cpu::tiersWithEmulation().back();
      !llvm::is_contained(tiers, best))
    tiers.push_back(best);
  return tiers;
}

int tally::checkFileMain(int argc, char **argv) {
  llvm::cl::opt<std::string> file(llvm::cl::Positional, llvm::cl::Required,
                                  llvm::cl::desc("FILE.mlir"));
  llvm::cl::list<std::string> names("executor", llvm::cl::CommaSeparated,
                                    llvm::cl::desc("eval, fused, cpu"));
  llvm::cl::opt<std::string> numerics("numerics", llvm::cl::init("ideal"),
                                      llvm::cl::desc("numerics profile"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "runs the cases of a file\n");
  auto profile = profileOf(numerics);
  if (!profile) {
    llvm::errs() << "unknown profile '" << numerics << "'\n";
    return 2;
  }
  for (const std::string &name : names)
    if (name != "eval" && name != "fused" && name != "cpu") {
      llvm::errs() << "unknown executor '" << name << "'\n";
      return 2;
    }
  MLIRContext context;
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  auto module = parseSourceFile<ModuleOp>(file, &context);
  if (!module)
    return 3;
  std::vector<Executor> executors;
  if (names.empty() || llvm::is_contained(names, "eval"))
    executors.push_back(evaluator(*profile));
  if (llvm::is_contained(names, "fused"))
    executors.push_back(fusedEvaluator(*profile));
  if (llvm::is_contained(names, "cpu"))
    for (cpu::Tier tier : cpuTiers())
      executors.push_back(cpuExecutor(tier, *profile));
  int64_t cases = 0, failed = 0;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!function->hasAttr("expected"))
      continue;
    for (const Executor &executor : executors) {
      ++cases;
      failed += !check(function, executor);
    }
  }
  llvm::outs() << cases - failed << " cases agree, " << failed << " differ\n";
  return failed || cases == 0;
}
