//===- Object.cpp - LLVM IR becomes an object file ------------------------===//

#include "tally/cpu/Object.h"
#include "tally/cpu/Target.h"
#include "tally/cpu/TileCode.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

static Diagnostic internalError(const std::string &what) {
  Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = "CPU-2";
  failure.message = what;
  return failure;
}

static void initializeX86() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser(); // for the glue's inline assembly
}

static void initializeArm() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser(); // for the glue's inline assembly
}

static std::unique_ptr<TargetMachine> makeMachine(Family family) {
  family == Family::Arm ? initializeArm() : initializeX86();
  Triple triple(familyTriple(family));
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, family == Family::Arm ? "generic" : "x86-64", "", TargetOptions(),
      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

static const char *cpuOf(Tier tier) {
  switch (tier) {
  case Tier::Baseline:
    return "x86-64";
  case Tier::Avx2:
  case Tier::AvxVnni:
    return "x86-64-v3";
  case Tier::Avx512:
  case Tier::Amx:
    return "x86-64-v4";
  case Tier::Neon:
  case Tier::I8mm:
    return "generic";
  }
  return "";
}

/// What a tier has beyond its processor.
static const char *featuresOf(Tier tier) {
  switch (tier) {
  case Tier::Baseline:
  case Tier::Avx2:
  case Tier::Neon:
    return "";
  case Tier::AvxVnni:
    return "+avxvnni";
  case Tier::I8mm:
    return "+i8mm";
  case Tier::Avx512:
    return "+avx512vnni";
  case Tier::Amx:
    return "+avx512vnni,+avx512vbmi,+amx-tile,+amx-int8";
  }
  return "";
}

/// "avx512vnni" of "model_k3_avx512vnni".
static bool belongsTo(StringRef function, Tier tier) {
  std::string suffix = std::string("_") + tierName(tier);
  std::replace(suffix.begin(), suffix.end(), '-', '_');
  return function.ends_with(suffix);
}

static void setTargets(Module &module, const CpuOptions &options) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (Tier tier : options.tiers)
      if (belongsTo(function.getName(), tier)) {
        function.addFnAttr("target-cpu", cpuOf(tier));
        if (!options.tune.empty())
          function.addFnAttr("tune-cpu", options.tune);
        if (StringRef features = featuresOf(tier); !features.empty())
          function.addFnAttr("target-features", features);
        if (tier == Tier::Avx512 || tier == Tier::Amx) {
          function.addFnAttr("prefer-vector-width", "512");
        }
      }
    function.addFnAttr(Attribute::NoUnwind);
    function.addFnAttr(Attribute::NoInline);
  }
}

/// Everything but what CpuCompiler.h lists as defined is private to the object.
static void hideInternals(Module &module, const CpuOptions &options) {
  auto isExported = [&](StringRef name) {
    return name == options.symbol + "_run" ||
           name == options.symbol + "_run_parallel" ||
           name == options.symbol + "_selftest" ||
           name == options.symbol + "_interface";
  };
  for (GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasAppendingLinkage() &&
        !isExported(value.getName()))
      value.setLinkage(GlobalValue::InternalLinkage);
}

static void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
}

static Result<std::string> generate(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::ObjectFile))
    return internalError("the target cannot emit objects");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

Result<std::string> tally::cpu::emitObject(std::unique_ptr<Module> module,
                                           const std::string &glue,
                                           const CpuOptions &options) {
  auto machine = makeMachine(familyOf(options.tiers.front()));
  if (!machine)
    return internalError("LLVM has no such back end");
  SMDiagnostic problem;
  auto glueModule = parseAssemblyString(glue, problem, module->getContext());
  if (!glueModule)
    return internalError("glue code does not parse: " +
                         problem.getMessage().str());
  for (Module *part : {module.get(), glueModule.get()}) {
    part->setTargetTriple(machine->getTargetTriple());
    part->setDataLayout(machine->createDataLayout());
    part->setPICLevel(PICLevel::BigPIC);
  }
  setTargets(*module, options);
  if (Linker::linkModules(*module, std::move(glueModule)))
    return internalError("glue code does not link");
  hideInternals(*module, options);
  std::string broken;
  raw_string_ostream report(broken);
  if (verifyModule(*module, &report))
    return internalError("generated LLVM IR is not valid: " + broken);
  if (options.progress)
    options.progress("optimize");
  optimize(*module, *machine);
  if (options.progress)
    options.progress("generate code");
  auto object = generate(*module, *machine);
  if (!object)
    return object;
  auto hasTiles = [](StringRef function) {
    return belongsTo(function, Tier::Amx);
  };
  if (Status status = checkTileCode(*object, hasTiles); !status)
    return status.takeError();
  return object;
}
