//===- MachineLoops.cpp - what one core can do at most --------------------===//
//
// A product loop keeps twelve sums that do not depend on each other: a
// multiply-add takes four to six cycles until its sum can be used, two begin in
// each cycle, so that ten to twelve must be under way. Every sum starts with
// data of its own; equal ones would be computed once. Where one instruction
// does not do, a step is the shortest sequence that gives a product of bytes:
//
//   avx512vnni  vpdpbusd                      64 multiply-adds
//   avx2        vpmaddubsw, vpmaddwd, vpaddd  32
//   x86-64      pmaddwd, paddd                 8, of bytes widened before
//
// and of floats a fused multiply-add, on x86-64 mulps and addps. The sum itself
// is a factor of the sequences, or the product would leave the loop.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/MachineLoops.h"
#include "tally/cpu/IrText.h"
#include "tally/cpu/Object.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>

using namespace tally;
using namespace tally::cpu;

namespace {
/// How a tier multiplies and adds: `type` is the sum's, and `step` makes %new#
/// of the sum %sum# and the factors %a and %b, where # is the sum's number.
struct Step {
  const char *type;
  const char *declarations;
  const char *step;
  int64_t multiplyAdds;
};
} // namespace

static constexpr Step kIntegerSteps[] = {
    {"<4 x i32>",
     "declare <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16>, <8 x i16>)\n",
     R"(
  %halves# = bitcast <4 x i32> %sum# to <8 x i16>
  %factor# = bitcast <4 x i32> %b to <8 x i16>
  %product# = call <4 x i32> @llvm.x86.sse2.pmadd.wd(<8 x i16> %halves#, <8 x i16> %factor#)
  %new# = add <4 x i32> %sum#, %product#)",
     8},
    {"<8 x i32>",
     "declare <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8>, <32 x i8>)\n"
     "declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)\n",
     R"(
  %bytes# = bitcast <8 x i32> %sum# to <32 x i8>
  %factor# = bitcast <8 x i32> %b to <32 x i8>
  %ones# = bitcast <8 x i32> %a to <16 x i16>
  %pairs# = call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8> %bytes#, <32 x i8> %factor#)
  %product# = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %pairs#, <16 x i16> %ones#)
  %new# = add <8 x i32> %sum#, %product#)",
     32},
    {"<16 x i32>",
     "declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <64 x i8>, "
     "<64 x i8>)\n",
     R"(
  %first# = bitcast <16 x i32> %a to <64 x i8>
  %second# = bitcast <16 x i32> %b to <64 x i8>
  %new# = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %sum#, <64 x i8> %first#, <64 x i8> %second#))",
     64},
};

static constexpr Step kFloatSteps[] = {
    {"<4 x float>", "", R"(
  %product# = fmul <4 x float> %sum#, %a
  %new# = fadd <4 x float> %product#, %b)",
     4},
    {"<8 x float>",
     "declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, "
     "<8 x float>)\n",
     R"(
  %new# = call <8 x float> @llvm.fma.v8f32(<8 x float> %sum#, <8 x float> %a, <8 x float> %b))",
     8},
    {"<16 x float>",
     "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, "
     "<16 x float>)\n",
     R"(
  %new# = call <16 x float> @llvm.fma.v16f32(<16 x float> %sum#, <16 x float> %a, <16 x float> %b))",
     16},
};

static const Step &stepOf(MachineLoop loop, Tier tier) {
  auto index = static_cast<size_t>(std::min(tier, Tier::Avx512));
  return loop == MachineLoop::IntegerProducts ? kIntegerSteps[index]
                                              : kFloatSteps[index];
}

int64_t tally::cpu::multiplyAddsPerRound(MachineLoop loop, Tier tier) {
  return kLoopAccumulators * stepOf(loop, tier).multiplyAdds;
}

/// `text` for each of `count` sums, # being its number and & its place in
/// bytes.
static std::string forEachSum(int count, const std::string &text) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += replaceAll(replaceAll(text, "#", std::to_string(i)), "&",
                      std::to_string(i * kLoopVectorBytes));
  return all;
}

/// A loop over `sums` sums of type TYPE: what comes before, and what a round
/// does.
static std::string loopText(int sums, const std::string &before,
                            const std::string &round) {
  return R"(
define void @BODY(ptr %rounds, ptr %data, ptr %result) {
entry:
  %count = load i64, ptr %rounds, align 8
)" + before +
         R"(  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
)" +
         forEachSum(sums, "  %sum# = phi TYPE [ %start#, %entry ], "
                          "[ %new#, %loop ]\n") +
         round + R"(
  %next = add i64 %i, 1
  %isMore = icmp ult i64 %next, %count
  br i1 %isMore, label %loop, label %end
end:
)" +
         forEachSum(sums, "  %to# = getelementptr i8, ptr %result, i64 &\n"
                          "  store TYPE %new#, ptr %to#, align 64\n") +
         "  ret void\n}\n";
}

static std::string loadText(const std::string &name, int vector) {
  return "  %from_" + name + " = getelementptr i8, ptr %data, i64 " +
         std::to_string(vector * kLoopVectorBytes) + "\n  %" + name +
         " = load TYPE, ptr %from_" + name + ", align 64\n";
}

static std::string productText(const Step &step) {
  std::string before =
      loadText("a", kLoopAccumulators) + loadText("b", kLoopAccumulators + 1);
  for (int i = 0; i < kLoopAccumulators; ++i)
    before += loadText("start" + std::to_string(i), i);
  std::string round = forEachSum(kLoopAccumulators, step.step);
  return step.declarations +
         replaceAll(loopText(kLoopAccumulators, before, round), "TYPE",
                    step.type);
}

/// Vectors are those of the widest tier; LLVM splits them for others, whose
/// registers just hold the four sums.
static std::string readText() {
  constexpr int kSums = kReadBytes / kLoopVectorBytes;
  std::string round =
      "  %block = mul i64 %i, " + std::to_string(kReadBytes) +
      "\n  %at = getelementptr i8, ptr %data, i64 %block\n" +
      forEachSum(kSums, "  %from# = getelementptr i8, ptr %at, i64 &\n"
                        "  %part# = load TYPE, ptr %from#, align 64\n"
                        "  %new# = add TYPE %sum#, %part#\n");
  std::string before =
      forEachSum(kSums, "  %start# = sub TYPE zeroinitializer, "
                        "zeroinitializer\n");
  return replaceAll(loopText(kSums, before, round), "TYPE", "<16 x i32>");
}

/// SYMBOL_run, which hands the three pointers to the loop.
static constexpr const char *kEntry = R"(
declare void @BODY(ptr, ptr, ptr)
define i32 @loop_run(ptr %inputs, ptr %outputs, ptr %arena) {
  %rounds = load ptr, ptr %inputs, align 8
  %second = getelementptr ptr, ptr %inputs, i64 1
  %data = load ptr, ptr %second, align 8
  %result = load ptr, ptr %outputs, align 8
  call void @BODY(ptr %rounds, ptr %data, ptr %result)
  ret i32 0
}
)";

static runtime::Interface loopInterface(Tier tier) {
  runtime::Interface interface;
  interface.producer = "tally";
  interface.symbol = "loop";
  interface.target = "x86_64-linux-gnu";
  interface.tiers = {tierName(tier)};
  return interface;
}

Result<CompiledObject> tally::cpu::compileLoop(MachineLoop loop, Tier tier) {
  std::string body = std::string("loop_body_") + tierName(tier);
  std::replace(body.begin(), body.end(), '-', '_');
  std::string text =
      loop == MachineLoop::Read ? readText() : productText(stepOf(loop, tier));
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(replaceAll(text, "BODY", body),
                                          problem, context);
  if (!module) {
    tally::Diagnostic failure;
    failure.rule = "CPU-2";
    failure.message = "a loop does not parse: " + problem.getMessage().str() +
                      " in " + problem.getLineContents().str();
    return failure;
  }
  CpuOptions options;
  options.symbol = "loop";
  options.tiers = {tier};
  auto object =
      emitObject(std::move(module), replaceAll(kEntry, "BODY", body), options);
  if (!object)
    return object.takeError();
  return CompiledObject{std::move(*object), loopInterface(tier)};
}
