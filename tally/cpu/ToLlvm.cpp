//===- ToLlvm.cpp - loops on memory become LLVM IR ------------------------===//

#include "tally/cpu/ToLlvm.h"
#include "tally/cpu/SoftFma.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tally;

void tally::cpu::loadLoweringDialects(MLIRContext &context) {
  context.loadDialect<
      affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
      func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
      memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
}

namespace {
/// All remaining dialects to LLVM in one conversion, memrefs as pointers. Each
/// function is a module of its own meanwhile, for threads.
struct ConvertToLlvm : PassWrapper<ConvertToLlvm, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertToLlvm)
  StringRef getArgument() const override { return "tally-cpu-to-llvm"; }

  void runOnOperation() override {
    LowerToLLVMOptions options(&getContext());
    options.useBarePtrCallConv = true;
    LLVMTypeConverter types(&getContext(), options);
    FrozenRewritePatternSet patterns = patternsOf(types);
    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    auto convert = [&](ModuleOp module) {
      return applyFullConversion(module, target, patterns);
    };
    std::vector<OwningOpRef<ModuleOp>> apart = takeFunctions(getOperation());
    if (failed(convert(getOperation())) ||
        failed(failableParallelForEach(
            &getContext(), apart, [&](auto &one) { return convert(*one); })))
      signalPassFailure();
    for (OwningOpRef<ModuleOp> &one : apart)
      getOperation().getBody()->getOperations().splice(
          getOperation().getBody()->end(), one->getBody()->getOperations());
  }

private:
  FrozenRewritePatternSet patternsOf(LLVMTypeConverter &types) {
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    return patterns;
  }

  static std::vector<OwningOpRef<ModuleOp>> takeFunctions(ModuleOp module) {
    std::vector<OwningOpRef<ModuleOp>> taken;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      function->remove();
      taken.emplace_back(ModuleOp::create(function.getLoc()));
      taken.back()->push_back(function);
    }
    return taken;
  }
};
} // namespace

/// Up to the last conversion functions are changed one by one, by threads.
static void buildPipeline(PassManager &passes) {
  auto &each = passes.nest<func::FuncOp>();
  each.addPass(createCanonicalizerPass());
  each.addPass(createCSEPass());
  passes.addPass(tally::cpu::createSoftFmaPass());
  auto &rest = passes.nest<func::FuncOp>();
  rest.addPass(memref::createExpandStridedMetadataPass());
  rest.addPass(createLowerAffinePass());
  rest.addPass(createSCFToControlFlowPass());
  passes.addPass(std::make_unique<ConvertToLlvm>());
}

static tally::Diagnostic internalError(const std::string &what) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = "CPU-2";
  failure.message = what;
  return failure;
}

Result<std::unique_ptr<llvm::Module>>
tally::cpu::toLlvm(ModuleOp module, llvm::LLVMContext &context) {
  std::string problems;
  ScopedDiagnosticHandler capture(module.getContext(),
                                  [&](mlir::Diagnostic &d) {
                                    problems += d.str() + "\n";
                                    return success();
                                  });
  PassManager passes(module.getContext());
  buildPipeline(passes);
  if (failed(passes.run(module)))
    return internalError("lowering to LLVM failed: " + problems);
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto result = translateModuleToLLVMIR(module, context, "tally");
  if (!result)
    return internalError("translation to LLVM IR failed: " + problems);
  return result;
}
