//===- Emulation.cpp - tiers on processors that lack them -----------------===//
//
// LLVM makes instructions of AVX2 from vectors of any width, so only what is
// called by name has to be replaced:
//
//     vpdpbusd       products of 16 bits, of even bytes and of odd ones
//     vpshufb        on two halves
//     vpermi2b       a table of eight rows of sixteen bytes: look up in each,
//                    keep the one that is meant
//     tiles          memory, and calls (EmulatedTiles.h)
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2,
// VPDPBUSD, VPSHUFB, VPERMI2B.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Emulation.h"
#include "tally/cpu/EmulatedTiles.h"
#include "tally/cpu/TierParts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <numeric>

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::canEmulate(Tier tier) {
  return tier == Tier::AvxVnni || tier == Tier::Avx512 || tier == Tier::Amx;
}

Tier tally::cpu::instructionsOf(Tier tier, const CpuOptions &options) {
  return options.emulate && canEmulate(tier) ? Tier::Avx2 : tier;
}

bool tally::cpu::mustEmulate(Tier tier) {
  return !is_contained(tiersOfThisMachine(), tier);
}

std::vector<Tier> tally::cpu::tiersWithEmulation() {
  std::vector<Tier> tiers;
  bool canSome = !mustEmulate(Tier::Avx2);
  copy_if(allTiers(), std::back_inserter(tiers), [&](Tier tier) {
    return !mustEmulate(tier) || (canSome && canEmulate(tier));
  });
  return tiers;
}

//===----------------------------------------------------------------------===//
// Instructions on vectors
//===----------------------------------------------------------------------===//

/// `count` lanes of `vector`, from `first` on.
static Value *lanesOf(IRBuilder<> &b, Value *vector, int first, int count) {
  SmallVector<int> lanes(count);
  std::iota(lanes.begin(), lanes.end(), first);
  return b.CreateShuffleVector(vector, lanes);
}

/// Two vectors of `count` lanes in a row.
static Value *joined(IRBuilder<> &b, Value *low, Value *high, int count) {
  SmallVector<int> lanes(2 * count);
  std::iota(lanes.begin(), lanes.end(), 0);
  return b.CreateShuffleVector(low, high, lanes);
}

/// vpdpbusd of eight words: to each of `sums` four bytes without sign times
/// four with. vpmaddwd multiplies the bytes of even places, then those of odd
/// ones, and adds two and two.
static Value *addProducts(IRBuilder<> &b, Value *sums, Value *left,
                          Value *right) {
  auto *halves = FixedVectorType::get(b.getInt16Ty(), 16);
  Value *eight = ConstantInt::get(halves, 8);
  left = b.CreateBitCast(left, halves);
  right = b.CreateBitCast(right, halves);
  Value *even[] = {b.CreateLShr(b.CreateShl(left, eight), eight),
                   b.CreateAShr(b.CreateShl(right, eight), eight)};
  Value *odd[] = {b.CreateLShr(left, eight), b.CreateAShr(right, eight)};
  for (auto *factors : {even, odd})
    sums = b.CreateAdd(sums, b.CreateIntrinsic(Intrinsic::x86_avx2_pmadd_wd,
                                               {factors[0], factors[1]}));
  return sums;
}

/// The same of sixteen words.
static Value *addWideProducts(IRBuilder<> &b, CallInst &call) {
  Value *left = call.getArgOperand(1), *right = call.getArgOperand(2);
  auto half = [&](int first) {
    return addProducts(b, lanesOf(b, call.getArgOperand(0), first, 8),
                       lanesOf(b, left, 4 * first, 32),
                       lanesOf(b, right, 4 * first, 32));
  };
  return joined(b, half(0), half(8), 8);
}

/// vpshufb: in each sixteen bytes those at the places that the low four bits of
/// `places` say, 0 where the sign bit is set. 64 bytes as two times 32.
static Value *shuffleBytes(IRBuilder<> &b, Value *bytes, Value *places) {
  auto half = [&](int first) {
    return b.CreateIntrinsic(
        Intrinsic::x86_avx2_pshuf_b,
        {lanesOf(b, bytes, first, 32), lanesOf(b, places, first, 32)});
  };
  return joined(b, half(0), half(32), 32);
}

/// vpermi2b: bytes of a table of 128, the low seven bits of `places` say which.
static Value *pickBytes(IRBuilder<> &b, CallInst &call) {
  Value *first = call.getArgOperand(0), *second = call.getArgOperand(2);
  auto *type = call.getArgOperand(1)->getType();
  auto spread = [&](uint8_t value) { return ConstantInt::get(type, value); };
  Value *places = b.CreateAnd(call.getArgOperand(1), spread(127));
  Value *column = b.CreateAnd(places, spread(15));
  Value *picked = spread(0);
  for (int row = 0; row < 8; ++row) {
    SmallVector<int> sixteen(64);
    for (int lane = 0; lane < 64; ++lane)
      sixteen[lane] = 16 * (row % 4) + lane % 16;
    Value *table = b.CreateShuffleVector(row < 4 ? first : second, sixteen);
    Value *isMeant = b.CreateICmpEQ(b.CreateLShr(places, spread(4)),
                                    spread(static_cast<uint8_t>(row)));
    picked = b.CreateSelect(isMeant, shuffleBytes(b, table, column), picked);
  }
  return picked;
}

/// The same value in AVX2's terms; null for what AVX2 has.
static Value *inTermsOfAvx2(CallInst &call) {
  IRBuilder<> b(&call);
  switch (call.getIntrinsicID()) {
  case Intrinsic::x86_avx512_vpdpbusd_256:
    return addProducts(b, call.getArgOperand(0), call.getArgOperand(1),
                       call.getArgOperand(2));
  case Intrinsic::x86_avx512_vpdpbusd_512:
    return addWideProducts(b, call);
  case Intrinsic::x86_avx512_pshuf_b_512:
    return shuffleBytes(b, call.getArgOperand(0), call.getArgOperand(1));
  case Intrinsic::x86_avx512_vpermi2var_qi_512:
    return pickBytes(b, call);
  default:
    return nullptr;
  }
}

static void replaceVectors(Function &function) {
  for (BasicBlock &block : function)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      Value *same = call ? inTermsOfAvx2(*call) : nullptr;
      if (!same)
        continue;
      call->replaceAllUsesWith(same);
      call->eraseFromParent();
    }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Status tally::cpu::emulateTiers(Module &module, const CpuOptions &options) {
  if (!options.emulate)
    return Status::success();
  bool hasTiles = is_contained(options.tiers, Tier::Amx);
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (any_of(options.tiers, [&](Tier tier) {
          return canEmulate(tier) && belongsTo(function.getName(), tier);
        }))
      kernels.push_back(&function);
  if (hasTiles)
    if (Status status = addTileFunctions(module, options.symbol); !status)
      return status;
  for (Function *kernel : kernels) {
    replaceVectors(*kernel);
    if (hasTiles)
      putTilesInMemory(*kernel, options.symbol);
  }
  return Status::success();
}
