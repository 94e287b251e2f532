//===- CpuCompiler.cpp - a graph becomes an object file -------------------===//

#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/ClockMarks.h"
#include "tally/cpu/Dispatch.h"
#include "tally/cpu/Glue.h"
#include "tally/cpu/ModuleEmitter.h"
#include "tally/cpu/Object.h"
#include "tally/cpu/Target.h"
#include "tally/cpu/ToLlvm.h"
#include "tally/runtime/Host.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

const char *tally::cpu::tierName(Tier tier) {
  switch (tier) {
  case Tier::Baseline:
    return "x86-64";
  case Tier::Avx2:
    return "avx2";
  case Tier::AvxVnni:
    return "avxvnni";
  case Tier::Avx512:
    return "avx512vnni";
  case Tier::Amx:
    return "amx";
  case Tier::Neon:
    return "neon";
  case Tier::I8mm:
    return "i8mm";
  }
  return "";
}

llvm::ArrayRef<Tier> tally::cpu::allTiers() {
  static constexpr Tier kTiers[] = {Tier::Baseline, Tier::Avx2, Tier::AvxVnni,
                                    Tier::Avx512,   Tier::Amx,  Tier::Neon,
                                    Tier::I8mm};
  return kTiers;
}

std::vector<Tier> tally::cpu::x86Tiers() { return tiersOf(Family::X86); }

std::vector<Tier> tally::cpu::tiersOfThisMachine() {
  std::vector<Tier> tiers;
  std::vector<std::string> offered = runtime::hostTiers();
  llvm::copy_if(allTiers(), std::back_inserter(tiers), [&](Tier tier) {
    return llvm::is_contained(offered, tierName(tier));
  });
  return tiers;
}

static Result<func::FuncOp> mainOf(ModuleOp module) {
  if (auto function = module.lookupSymbol<func::FuncOp>("main"))
    return function;
  tally::Diagnostic failure;
  failure.message = "the module has no function 'main'";
  failure.rule = "CPU-2";
  return failure;
}

/// Without marks, those of the result are empty.
static Result<MarkedObject> compileWith(Marks marks, ModuleOp module,
                                        const CpuOptions &options) {
  auto main = mainOf(module);
  if (!main)
    return main.takeError();
  func::FuncOp function = *main;
  auto report = [&](const char *step) {
    if (options.progress)
      options.progress(step);
  };
  std::vector<NumberLimit> limits = numberLimits(function);
  report("emit kernels");
  auto emitted = emitModule(function, options, marks);
  if (!emitted)
    return emitted.takeError();
  report("lower to LLVM");
  llvm::LLVMContext context;
  auto llvmModule = toLlvm(*emitted->module, context);
  if (!llvmModule)
    return llvmModule.takeError();
  emitted->module = nullptr;
  dispatchSteps(**llvmModule, emitted->splitKernels, options);
  auto object =
      emitObject(std::move(*llvmModule),
                 glueText(emitted->interface, limits, options), options);
  if (!object)
    return object.takeError();
  return MarkedObject{{std::move(*object), std::move(emitted->interface),
                       std::move(emitted->products)},
                      std::move(emitted->marks)};
}

Result<CompiledObject> tally::cpu::compile(ModuleOp module,
                                           const CpuOptions &options) {
  auto made = compileWith(Marks::No, module, options);
  if (!made)
    return made.takeError();
  return std::move(made->compiled);
}

Result<MarkedObject> tally::cpu::compileMarked(ModuleOp module,
                                               const CpuOptions &options) {
  return compileWith(Marks::Yes, module, options);
}

Result<std::vector<ScheduledProduct>>
tally::cpu::productsOf(ModuleOp module, const CpuOptions &options) {
  auto function = mainOf(module);
  if (!function)
    return function.takeError();
  auto emitted = emitModule(*function, options);
  if (!emitted)
    return emitted.takeError();
  return std::move(emitted->products);
}
