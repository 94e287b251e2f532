//===- EmulationTest.cpp - emulated instructions do what real ones do -----===//
//
// Each instruction is compared with plain loops, written after the processor's
// manual; where the processor has it, the real one as well.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Emulation.h"
#include "tally/cpu/Object.h"
#include "tally/runtime/JitProgram.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace tally;
using namespace tally::cpu;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes randomBytes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (uint8_t &byte : bytes) // extremes are a quarter
    byte = random() % 4
               ? static_cast<uint8_t>(random())
               : std::array<uint8_t, 4>{0, 127, 128, 255}[random() % 4];
  return bytes;
}

int32_t wordOf(const Bytes &bytes, size_t index) {
  int32_t word;
  std::memcpy(&word, bytes.data() + 4 * index, 4);
  return word;
}

void setWord(Bytes &bytes, size_t index, int32_t word) {
  std::memcpy(bytes.data() + 4 * index, &word, 4);
}

/// What a function of two pointers, of which `body` is the text, makes of
/// `input`; `declarations` stand before it.
Bytes runFunction(Tier tier, bool emulate, const std::string &declarations,
                  const std::string &body, const Bytes &input, size_t size) {
  std::string name = std::string("@model_k0_") + tierName(tier);
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(declarations + "\ndefine void " +
                                              name + "(ptr %in, ptr %out) {\n" +
                                              body + "\n  ret void\n}\n",
                                          problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  CpuOptions options;
  options.tiers = {tier};
  options.emulate = emulate;
  auto object = emitObject(
      std::move(module),
      "declare void " + name + "(ptr, ptr)\n" +
          "define i32 @model_run(ptr %ins, ptr %outs, ptr %arena) {\n"
          "  %in = load ptr, ptr %ins\n  %out = load ptr, ptr %outs\n"
          "  call void " +
          name + "(ptr %in, ptr %out)\n  ret i32 0\n}\n",
      options);
  EXPECT_TRUE(object) << object.error().str();
  runtime::Interface about;
  about.symbol = "model";
  about.target = "x86_64-linux-gnu";
  about.tiers = {tierName(tier)};
  about.emulated = emulate;
  auto program = runtime::jitProgram(*object, std::move(about));
  EXPECT_TRUE(program) << program.error().str();
  Bytes output(size, 0xCD);
  const void *inputs[] = {input.data()};
  void *outputs[] = {output.data()};
  EXPECT_TRUE(program->run(inputs, outputs, nullptr));
  return output;
}

/// Emulated, and as the processor has it, if it does.
void expectBytes(Tier tier, const std::string &declarations,
                 const std::string &body, const Bytes &input,
                 const Bytes &wanted) {
  if (mustEmulate(Tier::Avx2))
    GTEST_SKIP() << "skipped: this processor lacks AVX2";
  EXPECT_EQ(runFunction(tier, true, declarations, body, input, wanted.size()),
            wanted);
  if (!mustEmulate(tier))
    EXPECT_EQ(
        runFunction(tier, false, declarations, body, input, wanted.size()),
        wanted);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Sums, then bytes without sign, then bytes with, of `lanes` words each.
Bytes dotsOf(const Bytes &input, size_t lanes) {
  Bytes sums(input.begin(), input.begin() + 4 * lanes);
  for (size_t lane = 0; lane < lanes; ++lane) {
    uint32_t sum = wordOf(input, lane);
    for (size_t i = 0; i < 4; ++i)
      sum += static_cast<uint32_t>(
          int32_t(input[4 * (lanes + lane) + i]) *
          static_cast<int8_t>(input[4 * (2 * lanes + lane) + i]));
    setWord(sums, lane, static_cast<int32_t>(sum));
  }
  return sums;
}

std::string dotText(size_t lanes) {
  std::string words = "<" + std::to_string(lanes) + " x i32>";
  std::string bytes = "<" + std::to_string(4 * lanes) + " x i8>";
  std::string size = std::to_string(4 * lanes);
  return "  %s = load " + words + ", ptr %in, align 1\n" +
         "  %atA = getelementptr i8, ptr %in, i64 " + size + "\n  %a = load " +
         bytes + ", ptr %atA, align 1\n" +
         "  %atB = getelementptr i8, ptr %atA, i64 " + size + "\n  %b = load " +
         bytes + ", ptr %atB, align 1\n  %r = call " + words +
         " @llvm.x86.avx512.vpdpbusd." + std::to_string(32 * lanes) + "(" +
         words + " %s, " + bytes + " %a, " + bytes + " %b)\n  store " + words +
         " %r, ptr %out, align 1\n";
}

std::string dotDeclaration(size_t lanes) {
  std::string words = "<" + std::to_string(lanes) + " x i32>";
  std::string bytes = "<" + std::to_string(4 * lanes) + " x i8>";
  return "declare " + words + " @llvm.x86.avx512.vpdpbusd." +
         std::to_string(32 * lanes) + "(" + words + ", " + bytes + ", " +
         bytes + ")";
}

TEST(Emulation, productsOfFourBytes) {
  for (auto [tier, lanes] :
       {std::pair(Tier::AvxVnni, 8), std::pair(Tier::Avx512, 16)})
    for (uint64_t seed : {1, 2, 3, 4}) {
      Bytes input = randomBytes(12 * lanes, seed);
      expectBytes(tier, dotDeclaration(lanes), dotText(lanes), input,
                  dotsOf(input, lanes));
    }
}

TEST(Emulation, shuffledBytes) {
  Bytes input = randomBytes(128, 5), wanted(64);
  for (size_t i = 0; i < 64; ++i) {
    uint8_t place = input[64 + i];
    wanted[i] = place & 128 ? 0 : input[i / 16 * 16 + place % 16];
  }
  expectBytes(
      Tier::Avx512,
      "declare <64 x i8> @llvm.x86.avx512.pshuf.b.512(<64 x i8>, <64 x i8>)",
      "  %a = load <64 x i8>, ptr %in, align 1\n"
      "  %at = getelementptr i8, ptr %in, i64 64\n"
      "  %b = load <64 x i8>, ptr %at, align 1\n"
      "  %r = call <64 x i8> @llvm.x86.avx512.pshuf.b.512(<64 x i8> %a, "
      "<64 x i8> %b)\n  store <64 x i8> %r, ptr %out, align 1\n",
      input, wanted);
}

/// A table of 128 bytes, then 64 places, whose high bit does not count.
TEST(Emulation, bytesOfATable) {
  Bytes input = randomBytes(192, 6), wanted(64);
  for (size_t i = 0; i < 64; ++i)
    wanted[i] = input[input[128 + i] % 128];
  expectBytes(
      Tier::Amx,
      "declare <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(<64 x i8>, "
      "<64 x i8>, <64 x i8>)",
      "  %a = load <64 x i8>, ptr %in, align 1\n"
      "  %atB = getelementptr i8, ptr %in, i64 64\n"
      "  %b = load <64 x i8>, ptr %atB, align 1\n"
      "  %atI = getelementptr i8, ptr %in, i64 128\n"
      "  %i = load <64 x i8>, ptr %atI, align 1\n"
      "  %r = call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(<64 x i8> %a, "
      "<64 x i8> %i, <64 x i8> %b)\n  store <64 x i8> %r, ptr %out, align 1\n",
      input, wanted);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

constexpr const char *kTileDeclarations = R"(
declare x86_amx @llvm.x86.tilezero.internal(i16, i16)
declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)
declare x86_amx @llvm.x86.tileloaddt164.internal(i16, i16, ptr, i64)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
declare x86_amx @llvm.x86.tdpbssd.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
declare x86_amx @llvm.x86.tdpbsud.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
declare x86_amx @llvm.x86.tdpbusd.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
declare x86_amx @llvm.x86.tdpbuud.internal(i16, i16, i16, x86_amx, x86_amx, x86_amx)
)";

int32_t valueOf(uint8_t byte, bool isSigned) {
  return isSigned ? static_cast<int8_t>(byte) : byte;
}

/// 3 rows of 20 bytes (5 words), 24 bytes apart, at 0; 5 rows of 16 columns of
/// four bytes at 128: C[m][n] = the sum over k < 20 of
/// A[m][k] * B[k / 4][4 * n + k % 4], stored 64 bytes apart.
Bytes tileProduct(const Bytes &input, bool left, bool right) {
  Bytes sums(3 * 64);
  for (size_t m = 0; m < 3; ++m)
    for (size_t n = 0; n < 16; ++n) {
      int32_t sum = 0;
      for (size_t k = 0; k < 20; ++k)
        sum += valueOf(input[24 * m + k], left) *
               valueOf(input[128 + 64 * (k / 4) + 4 * n + k % 4], right);
      setWord(sums, 16 * m + n, sum);
    }
  return sums;
}

TEST(Emulation, productsOfTilesOfAllSigns) {
  Bytes input = randomBytes(128 + 5 * 64, 7);
  for (const std::string signs : {"ss", "su", "us", "uu"}) {
    SCOPED_TRACE(signs);
    expectBytes(
        Tier::Amx, kTileDeclarations,
        "  %at = getelementptr i8, ptr %in, i64 128\n"
        "  %z = call x86_amx @llvm.x86.tilezero.internal(i16 3, i16 64)\n"
        "  %a = call x86_amx @llvm.x86.tileloadd64.internal(i16 3, i16 20, "
        "ptr %in, i64 24)\n"
        "  %b = call x86_amx @llvm.x86.tileloaddt164.internal(i16 5, i16 64, "
        "ptr %at, i64 64)\n"
        "  %c = call x86_amx @llvm.x86.tdpb" +
            signs +
            "d.internal(i16 3, i16 64, i16 20, x86_amx %z, x86_amx %a, "
            "x86_amx %b)\n"
            "  call void @llvm.x86.tilestored64.internal(i16 3, i16 64, ptr "
            "%out, i64 64, x86_amx %c)\n",
        input, tileProduct(input, signs[0] == 's', signs[1] == 's'));
  }
}

/// Two tiles change places in each of three rounds, so that phis read each
/// other, and a product of the first is added up. Rounds multiply P, Q, P: the
/// sums are 2 * P + Q, with a left tile whose one word is 1, 0, 0, 0.
TEST(Emulation, tilesThatMeetInALoop) {
  Bytes input = randomBytes(4 + 2 * 64, 8);
  setWord(input, 0, 1);
  Bytes wanted(64);
  for (size_t n = 0; n < 16; ++n)
    setWord(wanted, n,
            2 * int32_t(input[4 + 4 * n]) + int32_t(input[68 + 4 * n]));
  expectBytes(
      Tier::Amx, kTileDeclarations,
      "entry:\n"
      "  %atP = getelementptr i8, ptr %in, i64 4\n"
      "  %atQ = getelementptr i8, ptr %in, i64 68\n"
      "  %z = call x86_amx @llvm.x86.tilezero.internal(i16 1, i16 64)\n"
      "  %a = call x86_amx @llvm.x86.tileloadd64.internal(i16 1, i16 4, ptr "
      "%in, i64 4)\n"
      "  %p = call x86_amx @llvm.x86.tileloadd64.internal(i16 1, i16 64, ptr "
      "%atP, i64 64)\n"
      "  %q = call x86_amx @llvm.x86.tileloadd64.internal(i16 1, i16 64, ptr "
      "%atQ, i64 64)\n"
      "  br label %loop\n"
      "loop:\n"
      "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
      "  %sums = phi x86_amx [ %z, %entry ], [ %more, %loop ]\n"
      "  %first = phi x86_amx [ %p, %entry ], [ %second, %loop ]\n"
      "  %second = phi x86_amx [ %q, %entry ], [ %first, %loop ]\n"
      "  %more = call x86_amx @llvm.x86.tdpbuud.internal(i16 1, i16 64, i16 4, "
      "x86_amx %sums, x86_amx %a, x86_amx %first)\n"
      "  %next = add i32 %i, 1\n"
      "  %isMore = icmp ult i32 %next, 3\n"
      "  br i1 %isMore, label %loop, label %done\n"
      "done:\n"
      "  call void @llvm.x86.tilestored64.internal(i16 1, i16 64, ptr %out, "
      "i64 64, x86_amx %more)\n",
      input, wanted);
}

TEST(Emulation, isOfTiersBeyondAvx2) {
  EXPECT_FALSE(canEmulate(Tier::Baseline));
  EXPECT_FALSE(canEmulate(Tier::Avx2));
  EXPECT_TRUE(canEmulate(Tier::AvxVnni));
  EXPECT_TRUE(canEmulate(Tier::Amx));
  EXPECT_FALSE(canEmulate(Tier::I8mm));
}

} // namespace
