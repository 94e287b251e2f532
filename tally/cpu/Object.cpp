//===- Object.cpp - LLVM IR becomes an object file ------------------------===//

#include "tally/cpu/Object.h"
#include "tally/cpu/EmitCode.h"
#include "tally/cpu/Emulation.h"
#include "tally/cpu/TierParts.h"
#include "tally/cpu/TileCode.h"
#include "tally/support/Failed.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

static Diagnostic internalError(const std::string &what) {
  return failed(FailureKind::Internal, "CPU-2", what);
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

static void setTarget(Function &function, Tier tier, const std::string &tune) {
  function.addFnAttr("target-cpu", cpuOf(tier));
  if (!tune.empty())
    function.addFnAttr("tune-cpu", tune);
  if (StringRef features = featuresOf(tier); !features.empty())
    function.addFnAttr("target-features", features);
  if (tier == Tier::Avx512 || tier == Tier::Amx)
    function.addFnAttr("prefer-vector-width", "512");
}

static void setTargets(Module &module, const CpuOptions &options) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (Tier tier : options.tiers)
      if (belongsTo(function.getName(), tier))
        setTarget(function, instructionsOf(tier, options), options.tune);
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
  if (Status status = emulateTiers(*module, options); !status)
    return status.takeError();
  setTargets(*module, options);
  if (Linker::linkModules(*module, std::move(glueModule)))
    return internalError("glue code does not link");
  hideInternals(*module, options);
  std::string broken;
  raw_string_ostream report(broken);
  if (verifyModule(*module, &report))
    return internalError("generated LLVM IR is not valid: " + broken);
  if (options.progress)
    options.progress("generate code");
  auto object = emitParts(std::move(module), options);
  if (!object)
    return object;
  auto hasTiles = [](StringRef function) {
    return belongsTo(function, Tier::Amx);
  };
  if (Status status = checkTileCode(*object, hasTiles); !status)
    return status.takeError();
  return object;
}
