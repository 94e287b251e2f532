//===- DotProduct.cpp - products of bytes, four terms at a time -----------===//
//
// A tile of rows x registers of sums stays in registers while the words of the
// common dimension pass by. For 2 rows and 1 register, one step is
//
//     x  = lanes[quad]                       64 bytes: 16 lanes of 4 terms
//     s0 = vpdpbusd(s0, x, spread(words[0][quad]))
//     s1 = vpdpbusd(s1, x, spread(words[1][quad]))
//
// (usdot on AArch64), so that each load feeds several products. Some registers
// are left for the operands; tile and loops (DotLoops.cpp) are chosen for every
// shape, and what is left over at the lower and right edge gets smaller tiles
// of its own. Where a register has eight or four lanes, sixteen are two or four
// registers.
//
// Without vpdpbusd, products are of 16 bits: vpmaddwd adds two of them in each
// lane. (vpmaddubsw multiplies bytes, but its sums of two saturate.) Both sides
// are taken apart into terms 0 and 2 and terms 1 and 3 of each word,
//
//     s += vpmaddwd(u & 0x00ff, w << 8 >> 8) + vpmaddwd(u >> 8, w >> 8)
//
// here for each tile, where a schedule copies before (HalfProduct.h).
//
// Cost: rows * registers * quads products, one or two per cycle on current
// cores, which their loads can feed when tiles are large.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/DotTile.h"
#include "tally/cpu/kernels/HalfWords.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::hasDotProducts(Tier tier) { return tier != Tier::Neon; }

int32_t tally::cpu::wrapTo32(int64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}

int32_t tally::cpu::dotWord(llvm::function_ref<int64_t(int64_t)> term) {
  uint32_t word = 0;
  for (int64_t byte = 0; byte < kDotTerms; ++byte)
    word |= static_cast<uint32_t>(term(byte) & 0xff) << (8 * byte);
  return static_cast<int32_t>(word);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static VectorType wordVector(KernelBuilder &k, int64_t lanes) {
  return VectorType::get({lanes}, k.i32());
}

/// Lanes [first, first + count) of a vector.
static Value partOf(KernelBuilder &k, Value vector, int64_t first,
                    int64_t count) {
  auto lanes = llvm::to_vector(llvm::seq(first, first + count));
  return vector::ShuffleOp::create(k.b, vector, vector, lanes);
}

/// Words as their parts of `bits` bits.
static Value partsOf(KernelBuilder &k, Value words, int64_t bits) {
  int64_t lanes = cast<VectorType>(words.getType()).getNumElements();
  Type part = k.b.getIntegerType(static_cast<unsigned>(bits));
  return vector::BitCastOp::create(
      k.b, VectorType::get({lanes * 32 / bits}, part), words);
}

static Value intrinsic(KernelBuilder &k, const char *name, Type type,
                       ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(k.b, type, k.b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

/// sum + the four products of each lane of a register.
static Value multiplyAddBytes(KernelBuilder &k, Value sum, Value unsignedWords,
                              Value signedWords) {
  const char *name =
      k.tier == Tier::I8mm            ? "llvm.aarch64.neon.usdot.v4i32.v16i8"
      : registerLanesOf(k.tier) == 16 ? "llvm.x86.avx512.vpdpbusd.512"
                                      : "llvm.x86.avx512.vpdpbusd.256";
  return intrinsic(
      k, name, sum.getType(),
      {sum, partsOf(k, unsignedWords, 8), partsOf(k, signedWords, 8)});
}

/// The same of one register, whatever the tier.
static Value addRegister(KernelBuilder &k, Value sum, Value unsignedWords,
                         Value signedWords) {
  if (!hasHalves(k.tier))
    return multiplyAddBytes(k, sum, unsignedWords, signedWords);
  for (int64_t half = 0; half < 2; ++half)
    sum = multiplyAddHalves(k, sum, halfOf(k, unsignedWords, half, false),
                            halfOf(k, signedWords, half, true));
  return sum;
}

/// One vector of two or four.
static Value joined(KernelBuilder &k, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  Value low = joined(k, parts.take_front(parts.size() / 2));
  Value high = joined(k, parts.drop_front(parts.size() / 2));
  int64_t lanes = cast<VectorType>(low.getType()).getNumElements();
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
  return vector::ShuffleOp::create(k.b, low, high, all);
}

Value tally::cpu::addDots(KernelBuilder &k, Value sums, Value unsignedWords,
                          Value signedWords) {
  int64_t lanes = registerLanesOf(k.tier);
  if (lanes == kDotLanes)
    return addRegister(k, sums, unsignedWords, signedWords);
  SmallVector<Value> parts;
  for (int64_t first = 0; first < kDotLanes; first += lanes)
    parts.push_back(addRegister(k, partOf(k, sums, first, lanes),
                                partOf(k, unsignedWords, first, lanes),
                                partOf(k, signedWords, first, lanes)));
  return joined(k, parts);
}

//===----------------------------------------------------------------------===//
// The steps of one tile
//===----------------------------------------------------------------------===//

/// Four bytes anywhere as one word.
static Value loadBytes(KernelBuilder &k, Value bytes, Value at) {
  auto four = VectorType::get({kDotTerms}, k.i8());
  Value loaded = vector::LoadOp::create(k.b, four, bytes, at);
  auto one = VectorType::get({1}, k.i32());
  return vector::ExtractOp::create(
      k.b, vector::BitCastOp::create(k.b, one, loaded), int64_t(0));
}

Value DotTile::loadWord(Value from, int64_t i, Value quad) const {
  const DotRows &source = operands.rows;
  Value offset = source.offsets ? k.toIndex(k.load(source.offsets, quad), true)
                                : k.mulIndex(quad, kDotTerms);
  Value place = k.addIndex(k.addIndex(from, offset), k.index(i * source.pitch));
  return vector::BroadcastOp::create(k.b, wordVector(k, registerLanes()),
                                     loadBytes(k, source.bytes, place));
}

Value DotTile::loadLanes(Value quad, Value lane, int64_t j) const {
  int64_t first = j * registerLanes(), within = first % kDotLanes;
  Value place = operands.place(quad, k.addIndex(lane, k.index(first - within)));
  return vector::LoadOp::create(k.b, wordVector(k, registerLanes()),
                                operands.laneWords,
                                k.addIndex(place, k.index(within)));
}

SmallVector<Value> DotTile::step(Value quad, Value from, Value lane,
                                 ValueRange sums) const {
  SmallVector<Value> words, next;
  for (int64_t j = 0; j < registers(); ++j)
    words.push_back(loadLanes(quad, lane, j));
  for (int64_t i = 0; i < rows; ++i) {
    Value word = loadWord(from, i, quad);
    for (int64_t j = 0; j < registers(); ++j)
      next.push_back(
          multiplyAddBytes(k, sums[i * registers() + j], word, words[j]));
  }
  return next;
}

SmallVector<Value> DotTile::halfStep(Value quad, Value from, Value lane,
                                     int64_t half, ValueRange sums) const {
  SmallVector<Value> terms, next;
  for (int64_t j = 0; j < registers(); ++j)
    terms.push_back(
        halfOf(k, loadLanes(quad, lane, j), half, /*isSigned=*/true));
  for (int64_t row = 0; row < rows; ++row) {
    Value word = halfOf(k, loadWord(from, row, quad), half, /*isSigned=*/false);
    for (int64_t j = 0; j < registers(); ++j)
      next.push_back(
          multiplyAddHalves(k, sums[row * registers() + j], word, terms[j]));
  }
  return next;
}

ValueRange DotTile::loop(Value row, Value lane, ValueRange starts) const {
  Value from =
      k.addIndex(operands.rows.base, k.mulIndex(row, operands.rows.pitch));
  auto loop = scf::ForOp::create(k.b, k.index(0), k.index(quads.count),
                                 k.index(1), starts);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(loop.getBody());
  Value quad = quads.at(k, loop.getInductionVar());
  SmallVector<Value> sums(loop.getRegionIterArgs());
  if (hasHalves(k.tier))
    for (int64_t half = 0; half < 2; ++half)
      sums = halfStep(quad, from, lane, half, sums);
  else
    sums = step(quad, from, lane, sums);
  scf::YieldOp::create(k.b, sums);
  return loop.getResults();
}

SmallVector<Value>
DotTile::starts(Value row, Value lane,
                llvm::function_ref<Value(Value, Value)> start) const {
  SmallVector<Value> starts;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < registers(); ++j) {
      int64_t first = j * registerLanes(), within = first % kDotLanes;
      Value all = start(k.addIndex(row, k.index(i)),
                        k.addIndex(lane, k.index(first - within)));
      starts.push_back(partOf(k, all, within, registerLanes()));
    }
  return starts;
}

Value DotTile::heldRow(Value first, int64_t i) const {
  return first ? k.addIndex(first, k.index(i)) : k.index(i);
}

void DotTile::store(ValueRange results, Value sums, Value first) const {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < registers(); ++j)
      vector::StoreOp::create(
          k.b, results[i * registers() + j], sums,
          ValueRange{heldRow(first, i), k.index(j * registerLanes())});
}

SmallVector<Value> DotTile::load(Value sums, Value first) const {
  SmallVector<Value> loaded;
  VectorType type = wordVector(k, registerLanes());
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < registers(); ++j)
      loaded.push_back(vector::LoadOp::create(
          k.b, type, sums,
          ValueRange{heldRow(first, i), k.index(j * registerLanes())}));
  return loaded;
}
