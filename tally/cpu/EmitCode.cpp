//===- EmitCode.cpp - a module of LLVM IR becomes machine code ------------===//

#include "tally/cpu/EmitCode.h"
#include "tally/support/Failed.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"

#include <mutex>

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

static void registerX86() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser(); // for the glue's inline assembly
}

static void registerArm() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser(); // for the glue's inline assembly
}

/// LLVM's registry of targets takes no two threads at a time.
static void registerOnce(Family family) {
  static std::once_flag x86, arm;
  family == Family::Arm ? std::call_once(arm, registerArm)
                        : std::call_once(x86, registerX86);
}

std::unique_ptr<TargetMachine> tally::cpu::makeMachine(Family family) {
  registerOnce(family);
  Triple triple(familyTriple(family));
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, family == Family::Arm ? "generic" : "x86-64", "", TargetOptions(),
      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

/// LLVM 22.1 looks for loops that compute checksums, in time that doubles with
/// each operation whose result is used twice (HashRecognize, mended after that
/// release): a minute for one kernel of a cache. No kernel computes a checksum.
static void leaveChecksumsAlone() {
  [[maybe_unused]] static const bool once = DisableLIRP::HashRecognize = true;
}

static void optimize(Module &module, TargetMachine &machine) {
  leaveChecksumsAlone();
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

Result<std::string> tally::cpu::emitCode(Module &module,
                                         TargetMachine &machine) {
  optimize(module, machine);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::ObjectFile))
    return failed(FailureKind::Internal, "CPU-2",
                  "the target cannot emit objects");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}
