//===- MachineLoops.cpp - what one core can do at most --------------------===//
//
// A product loop keeps twelve sums that do not depend on each other: a
// multiply-add takes four to six cycles until its sum can be used, two begin in
// each cycle, so that ten to twelve must be under way. Every sum starts with
// data of its own; equal ones would be computed once. Where one instruction
// does not do, a step is the shortest sequence that gives a product of bytes:
//
//   amx         tdpbusd, whose factors are    16384 multiply-adds
//               loaded for every two
//   avx512vnni  vpdpbusd                      64
//   avxvnni     vpdpbusd                      32
//   avx2        vpmaddwd, vpaddd              16, of bytes widened before
//   x86-64      pmaddwd, paddd                 8, of bytes widened before
//   neon        smlal                          4, of bytes widened before
//   i8mm        usdot                         16
//
// (vpmaddubsw would give 32 with vpmaddwd and vpaddd, but saturates in between)
//
// and of floats a fused multiply-add, on x86-64 mulps and addps. The sum itself
// is a factor of the sequences, or the product would leave the loop. Tiles are
// four sums of 16 x 16, which leave registers for two factors on each side; all
// rows of a tile are one vector of the data, loaded with a distance of 0.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/MachineLoops.h"
#include "tally/cpu/IrText.h"
#include "tally/cpu/Object.h"
#include "tally/cpu/Target.h"

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
     "declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)\n",
     R"(
  %halves# = bitcast <8 x i32> %sum# to <16 x i16>
  %factor# = bitcast <8 x i32> %b to <16 x i16>
  %product# = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %halves#, <16 x i16> %factor#)
  %new# = add <8 x i32> %sum#, %product#)",
     16},
    {"<8 x i32>",
     "declare <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32>, <32 x i8>, "
     "<32 x i8>)\n",
     R"(
  %first# = bitcast <8 x i32> %a to <32 x i8>
  %second# = bitcast <8 x i32> %b to <32 x i8>
  %new# = call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32> %sum#, <32 x i8> %first#, <32 x i8> %second#))",
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
    // avx2 and avxvnni
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

static bool isOfTiles(MachineLoop loop, Tier tier) {
  return loop == MachineLoop::IntegerProducts && tier == Tier::Amx;
}

/// Of one instruction on tiles: 16 rows, 16 columns, 64 terms.
static constexpr int64_t kTileMultiplyAdds = 16 * 16 * 64;

static constexpr Step kNeonIntegerStep = {
    "<4 x i32>",
    "declare <4 x i32> @llvm.aarch64.neon.smull.v4i32(<4 x i16>, <4 x i16>)\n",
    R"(
  %halves# = bitcast <4 x i32> %sum# to <8 x i16>
  %short# = shufflevector <8 x i16> %halves#, <8 x i16> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %second# = bitcast <4 x i32> %b to <8 x i16>
  %factor# = shufflevector <8 x i16> %second#, <8 x i16> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %product# = call <4 x i32> @llvm.aarch64.neon.smull.v4i32(<4 x i16> %short#, <4 x i16> %factor#)
  %new# = add <4 x i32> %sum#, %product#)",
    4};

static constexpr Step kI8mmIntegerStep = {
    "<4 x i32>",
    "declare <4 x i32> @llvm.aarch64.neon.usdot.v4i32.v16i8(<4 x i32>, "
    "<16 x i8>, <16 x i8>)\n",
    R"(
  %first# = bitcast <4 x i32> %a to <16 x i8>
  %second# = bitcast <4 x i32> %b to <16 x i8>
  %new# = call <4 x i32> @llvm.aarch64.neon.usdot.v4i32.v16i8(<4 x i32> %sum#, <16 x i8> %first#, <16 x i8> %second#))",
    16};

static constexpr Step kNeonFloatStep = {
    "<4 x float>",
    "declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, "
    "<4 x float>)\n",
    R"(
  %new# = call <4 x float> @llvm.fma.v4f32(<4 x float> %sum#, <4 x float> %a, <4 x float> %b))",
    4};

static const Step &stepOf(MachineLoop loop, Tier tier) {
  switch (tier) {
  case Tier::Baseline:
    return loop == MachineLoop::IntegerProducts ? kIntegerSteps[0]
                                                : kFloatSteps[0];
  case Tier::Avx2:
    return loop == MachineLoop::IntegerProducts ? kIntegerSteps[1]
                                                : kFloatSteps[1];
  case Tier::AvxVnni:
    return loop == MachineLoop::IntegerProducts ? kIntegerSteps[2]
                                                : kFloatSteps[1];
  case Tier::I8mm:
    return loop == MachineLoop::IntegerProducts ? kI8mmIntegerStep
                                                : kNeonFloatStep;
  case Tier::Neon:
    return loop == MachineLoop::IntegerProducts ? kNeonIntegerStep
                                                : kNeonFloatStep;
  case Tier::Avx512:
  case Tier::Amx:
    break;
  }
  return loop == MachineLoop::IntegerProducts ? kIntegerSteps[3]
                                              : kFloatSteps[2];
}

int tally::cpu::loopSums(MachineLoop loop, Tier tier) {
  return isOfTiles(loop, tier) ? 4 : kLoopAccumulators;
}

int64_t tally::cpu::multiplyAddsPerRound(MachineLoop loop, Tier tier) {
  if (isOfTiles(loop, tier))
    return loopSums(loop, tier) * kTileMultiplyAdds;
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

static constexpr const char *kStore =
    "  store TYPE %new#, ptr %to#, align 64\n";

/// A loop over `sums` sums of type TYPE: what comes before, what a round does,
/// and how a sum is stored.
static std::string loopText(int sums, const std::string &before,
                            const std::string &round,
                            const std::string &store = kStore) {
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
         forEachSum(sums,
                    "  %to# = getelementptr i8, ptr %result, i64 &\n" + store) +
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

/// Sums are vectors 0 to 3, factors vectors 4 to 7, two of them left.
static std::string tileText() {
  const std::string load = " = call x86_amx @llvm.x86.tileloadd64.internal("
                           "i16 16, i16 64, ptr %from_";
  std::string before, round;
  for (int i = 0; i < 8; ++i) {
    std::string id = std::to_string(i);
    before += "  %from_" + id + " = getelementptr i8, ptr %data, i64 " +
              std::to_string(i * kLoopVectorBytes) + "\n";
    if (i < 4)
      before += "  %start" + id + load + id + ", i64 0)\n";
    else
      round += "  %factor" + id + load + id + ", i64 0)\n";
  }
  for (int i = 0; i < 4; ++i) {
    std::string id = std::to_string(i);
    round += "  %new" + id +
             " = call x86_amx @llvm.x86.tdpbusd.internal(i16 "
             "16, i16 64, i16 64, x86_amx %sum" +
             id + ", x86_amx %factor" + std::to_string(4 + i / 2) +
             ", x86_amx %factor" + std::to_string(6 + i % 2) + ")\n";
  }
  std::string text =
      loopText(4, before, round,
               "  call void @llvm.x86.tilestored64.internal(i16 16, i16 64, "
               "ptr %to#, i64 0, x86_amx %new#)\n");
  return "declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)\n"
         "declare x86_amx @llvm.x86.tdpbusd.internal(i16, i16, i16, x86_amx, "
         "x86_amx, x86_amx)\n"
         "declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, "
         "x86_amx)\n" +
         replaceAll(text, "TYPE", "x86_amx");
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
  interface.target = familyName(familyOf(tier));
  interface.tiers = {tierName(tier)};
  return interface;
}

Result<CompiledObject> tally::cpu::compileLoop(MachineLoop loop, Tier tier) {
  std::string body = std::string("loop_body_") + tierName(tier);
  std::replace(body.begin(), body.end(), '-', '_');
  std::string text = loop == MachineLoop::Read ? readText()
                     : isOfTiles(loop, tier) ? tileText()
                                             : productText(stepOf(loop, tier));
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
