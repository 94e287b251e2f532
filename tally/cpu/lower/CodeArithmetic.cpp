//===- CodeArithmetic.cpp - sums and products of codes --------------------===//
//
// A sum of two codes is (a mA + b mB + o) >> shift in 64 bits. With multipliers
// of at most 30 bits the same is 32-bit arithmetic on twice as many lanes: each
// multiplier is split at bit 15, m = h 2^15 + l with 0 <= l < 2^15, and so is
// the offset. Then
//
//   (a mA + b mB + o) >> 15  =  a hA + b hB + oh + ((a lA + b lB + ol) >> 15)
//
// exactly, since only the last term has bits below. Codes and halves have 16
// bits, so the products are single instructions.
//
// That is twelve operations. A sum goes in eight, in fp32, where that gives the
// record's code for each of the 65,536 pairs, which is tried:
// RHE(fma(steps of a, ratio a, steps of b * ratio b)), without fma where there
// is none. Where the two scales have a simple ratio, ties are exact in it. Its
// numbers come from tables, so that sums of any scales have one kernel.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/quant/LinearCombine.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

using tally::quant::LinearRecord;

//===----------------------------------------------------------------------===//
// Sums in 32 bits
//===----------------------------------------------------------------------===//

static constexpr int32_t kSplit = 15; ///< bits of the lower half
static constexpr int32_t kSplitMultiplierBits = 30;

static int64_t upper(int64_t value) { return value >> kSplit; }
static int64_t lower(int64_t value) {
  return value & ((int64_t(1) << kSplit) - 1);
}

/// Whether the formula is the one above, and every number in it fits. Codes
/// have 9 bits with their sign, so products stay below 2^23.
static bool isSplitSum(const LinearRecord &record) {
  auto fits = [](int64_t multiplier) {
    return std::abs(multiplier) < int64_t(1) << kSplitMultiplierBits;
  };
  return record.kind == tally::quant::LinearKind::FixedPoint &&
         record.tieWindow < 0 && record.exceptions.empty() &&
         record.shift >= kSplit && fits(record.multiplierA) &&
         fits(record.multiplierB) && record.typeA.bits <= 8 &&
         record.typeB.bits <= 8 &&
         std::abs(record.offset) < int64_t(1) << (kSplit + 30);
}

/// The quotient, before the zero point.
static Value splitSum(KernelBuilder &k, const LinearRecord &record, Value a,
                      Value b) {
  auto c = [&](int64_t value) { return k.integer(a.getType(), value); };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(k.b, x, y);
  };
  auto sum = [&](int64_t half(int64_t)) -> Value {
    Value termA = arith::MulIOp::create(k.b, a, c(half(record.multiplierA)));
    Value termB = arith::MulIOp::create(k.b, b, c(half(record.multiplierB)));
    return add(add(termA, termB), c(half(record.offset)));
  };
  Value carry = arith::ShRSIOp::create(k.b, sum(lower), c(kSplit));
  return arith::ShRSIOp::create(k.b, add(sum(upper), carry),
                                c(record.shift - kSplit));
}

//===----------------------------------------------------------------------===//
// Sums in fp32
//===----------------------------------------------------------------------===//

namespace {
/// code = RHE(steps of a * ratioA + steps of b * ratioB) + zero point, bounded;
/// steps are codes less their zero points.
struct StepSum {
  float ratioA, ratioB;
  int32_t zeroA, zeroB;
  bool isFused; ///< the first product is not rounded
};

/// Its numbers, as tables of a kernel.
struct StepTables {
  Value ratios, zeros; ///< of a, of b
};
} // namespace

/// Plain x86-64 has no fused multiply-add, and many instructions in its place.
static bool isFused(Tier tier) { return tier != Tier::Baseline; }

static int32_t codeOf(const StepSum &sum, const LinearRecord &record, int32_t a,
                      int32_t b) {
  auto stepsA = static_cast<float>(a - sum.zeroA);
  float termB = static_cast<float>(b - sum.zeroB) * sum.ratioB;
  float termA = stepsA * sum.ratioA;
  float steps =
      sum.isFused ? std::fma(stepsA, sum.ratioA, termB) : termA + termB;
  float bounded = std::clamp(std::nearbyint(steps), -0x1p20f, 0x1p20f);
  return std::clamp(static_cast<int32_t>(bounded) + record.zeroPoint,
                    record.clampLo, record.clampHi);
}

/// Whether it has the record's code for every pair, none beyond 32 bits.
static bool isExact(const StepSum &sum, const LinearRecord &record) {
  constexpr float kMostRatio = 0x1p20f;
  if (!(std::abs(sum.ratioA) < kMostRatio && std::abs(sum.ratioB) < kMostRatio))
    return false;
  for (int64_t a = record.typeA.min(); a <= record.typeA.max(); ++a)
    for (int64_t b = record.typeB.min(); b <= record.typeB.max(); ++b) {
      auto codeA = static_cast<int32_t>(a), codeB = static_cast<int32_t>(b);
      if (codeOf(sum, record, codeA, codeB) != apply(record, codeA, codeB))
        return false;
    }
  return true;
}

/// With the ratios nearest to the exact ones, or neighbours of these.
static std::optional<StepSum>
stepSumOf(const tally::quant::LinearProblem &problem,
          const LinearRecord &record, bool isFused) {
  if (record.kind != tally::quant::LinearKind::FixedPoint ||
      record.typeA.bits > 8 || record.typeB.bits > 8)
    return std::nullopt;
  auto near = [](double ratio) {
    auto nearest = static_cast<float>(ratio);
    return std::array<float, 3>{nearest, std::nextafter(nearest, -HUGE_VALF),
                                std::nextafter(nearest, HUGE_VALF)};
  };
  double scaleA = problem.a.scale, scaleB = problem.b.scale;
  double sign = problem.subtract ? -1 : 1;
  for (float ratioA : near(scaleA / problem.outputScale))
    for (float ratioB : near(sign * scaleB / problem.outputScale)) {
      StepSum sum = {ratioA, ratioB, problem.a.zeroPoint, problem.b.zeroPoint,
                     isFused};
      if (isExact(sum, record))
        return sum;
    }
  return std::nullopt;
}

static StepTables tablesOf(KernelBuilder &k, const StepSum &sum) {
  return {k.constant<float>({sum.ratioA, sum.ratioB}),
          k.constant<int32_t>({sum.zeroA, sum.zeroB})};
}

/// The rounded steps of the sum.
static Value stepSum(KernelBuilder &k, const StepTables &tables, bool isFused,
                     Value a, Value b) {
  FloatMath math(k, lanesOf(a));
  auto entry = [&](Value table, int64_t i, Value like) {
    return spreadLike(k, like, k.load(table, k.index(i)));
  };
  auto steps = [&](Value code, int64_t i) {
    return math.toFloat(math.isub(code, entry(tables.zeros, i, code)));
  };
  Value stepsA = steps(a, 0), ratioA = entry(tables.ratios, 0, a);
  Value termB = math.mul(steps(b, 1), entry(tables.ratios, 1, b));
  Value sum = isFused ? math.fma(stepsA, ratioA, termB)
                      : math.add(math.mul(stepsA, ratioA), termB);
  return nearestInt32(k, sum);
}

//===----------------------------------------------------------------------===//
// Sums in 64 bits and in floats
//===----------------------------------------------------------------------===//

/// A fixed-point record of two codes, all fields uniform over the tensor, as
/// i32 code.
static Value fixedPoint(KernelBuilder &k, const LinearRecord &record, Value a,
                        Value b) {
  auto &builder = k.b;
  Type wide = lanesLike(a, k.i64());
  auto c = [&](int64_t value) { return k.integer(wide, value); };
  auto term = [&](Value code, int64_t multiplier) -> Value {
    Value widened = arith::ExtSIOp::create(builder, wide, code);
    return arith::MulIOp::create(builder, widened, c(multiplier));
  };
  Value sum = arith::AddIOp::create(builder, term(a, record.multiplierA),
                                    term(b, record.multiplierB));
  sum = arith::AddIOp::create(builder, sum, c(record.offset));
  Value quotient = arith::ShRSIOp::create(builder, sum, c(record.shift));
  if (record.tieWindow >= 0) {
    Value fraction = arith::AndIOp::create(builder, sum,
                                           c((int64_t(1) << record.shift) - 1));
    Value isTie = arith::CmpIOp::create(builder, arith::CmpIPredicate::sle,
                                        fraction, c(record.tieWindow));
    Value odd = arith::AndIOp::create(builder, quotient, c(1));
    Value even = arith::SubIOp::create(builder, quotient, odd);
    quotient = arith::SelectOp::create(builder, isTie, even, quotient);
  }
  Value code = arith::AddIOp::create(builder, quotient, c(record.zeroPoint));
  code = k.narrow(k.clamp(code, record.clampLo, record.clampHi),
                  eval::Element::I32);
  for (const tally::quant::CodePair &pair : record.exceptions) {
    auto constant = [&](int32_t value) {
      return k.integer(a.getType(), value);
    };
    auto equals = [&](Value x, int32_t value) -> Value {
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, x,
                                   constant(value));
    };
    Value both =
        arith::AndIOp::create(builder, equals(a, pair.a), equals(b, pair.b));
    code = arith::SelectOp::create(builder, both, constant(pair.code), code);
  }
  return code;
}

/// onnxruntime's order: RHE(fma(a, ratioA, fma(b, ratioB, constant))), with a
/// and b exchanged when a is the broadcast scalar.
static Value floatLinear(KernelBuilder &k, const LinearRecord &record, Value a,
                         Value b) {
  FloatMath math(k, lanesOf(a));
  auto add = [&](Value code, float ratio, Value sum) {
    return math.fma(math.toFloat(code), math.f32(ratio), sum);
  };
  Value sum = math.f32(record.constant);
  if (record.scalarA)
    sum = add(b, record.ratioB, add(a, record.ratioA, sum));
  else
    sum = add(a, record.ratioA, add(b, record.ratioB, sum));
  return k.clamp(math.toInt32LikeX86(math.roundeven(sum)), record.clampLo,
                 record.clampHi);
}

/// onnxruntime takes an operand for a scalar when it has one element along the
/// innermost dimension of the result that is not 1 (or there is none).
static bool isInnermostScalar(const eval::Shape &operand,
                              const eval::Shape &result) {
  size_t lead = result.size() - operand.size();
  for (size_t d = result.size(); d-- > 0;)
    if (result[d] != 1)
      return d < lead || operand[d - lead] == 1;
  return true;
}

/// The record whose sums fit 32 bits, or else any.
static Result<LinearRecord> linearRecord(tally::quant::LinearProblem problem) {
  int32_t bits = problem.multiplierBits;
  bool isNarrow = problem.a.type.bits <= 8 && problem.b.type.bits <= 8;
  if (isNarrow && problem.profile == tally::quant::Profile::Ideal) {
    problem.multiplierBits = kSplitMultiplierBits;
    auto record = tally::quant::deriveLinear(problem);
    if (!record || isSplitSum(*record))
      return record;
    problem.multiplierBits = bits;
  }
  return tally::quant::deriveLinear(problem);
}

/// The code of every pair from a table.
static ElementCode pairTableCode(KernelBuilder &k, const LinearRecord &record) {
  Value table = codeTable(k, record.table, k.resultInfo().element);
  return [&k, table, typeA = record.typeA,
          typeB = record.typeB](const ElementInputs &x) {
    Value row = k.mulIndex(tableIndex(k, x[0], typeA), typeB.count());
    return k.load(table, k.addIndex(row, tableIndex(k, x[1], typeB)));
  };
}

/// The code of two widened codes, in storage form.
static Value linearOf(KernelBuilder &k, const LinearRecord &record,
                      const std::optional<StepTables> &steps, Value a, Value b,
                      eval::Element element) {
  Rounded rounded = {{}, 0, record.clampLo, record.clampHi};
  if (steps) {
    rounded.value = stepSum(k, *steps, isFused(k.tier), a, b);
    rounded.origin = record.zeroPoint;
  } else if (record.kind == tally::quant::LinearKind::Float) {
    rounded.value = floatLinear(k, record, a, b);
  } else if (isSplitSum(record)) {
    rounded.value = splitSum(k, record, a, b);
    rounded.origin = record.zeroPoint;
  } else {
    rounded.value = fixedPoint(k, record, a, b);
  }
  return storedCodesOf(k, rounded, element);
}

Result<ElementCode> tally::cpu::linearCode(KernelBuilder &k, bool subtract) {
  eval::Tensor a = k.operandInfo(0), b = k.operandInfo(1);
  eval::Tensor out = k.resultInfo();
  for (const eval::Tensor &codes : {a, b, out})
    if (Status status = checkCodeBits(k, *codes.quant); !status)
      return status.takeError();
  tally::quant::LinearProblem problem =
      nn::linearProblem(*a.quant, *b.quant, *out.quant, subtract);
  bool hasForm = k.profile == eval::Profile::OnnxRuntime && !subtract;
  problem.profile = hasForm ? tally::quant::Profile::OnnxRuntime
                            : tally::quant::Profile::Ideal;
  problem.scalarA = isInnermostScalar(a.shape, out.shape);
  auto record = linearRecord(problem);
  if (!record)
    return atNode(k, record.takeError());
  if (record->kind == tally::quant::LinearKind::Table)
    return pairTableCode(k, *record);
  bool isByte = eval::byteSize(a.element) == 1 &&
                eval::byteSize(b.element) == 1 &&
                eval::byteSize(out.element) == 1;
  std::optional<StepTables> steps;
  if (auto sum = stepSumOf(problem, *record, isFused(k.tier)))
    steps = tablesOf(k, *sum);
  return ElementCode([=, &k, record = *record](const ElementInputs &x) {
           Value codeA = k.widen(x[0], a.element, k.i32());
           Value codeB = k.widen(x[1], b.element, k.i32());
           return linearOf(k, record, steps, codeA, codeB, out.element);
         })
      .onLanes(isByte);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Result<ChannelRecord> productRecord(KernelBuilder &k,
                                           const eval::Quantization &a,
                                           const eval::Quantization &b,
                                           const eval::Quantization &out) {
  tally::quant::RequantizeProblem problem = nn::productProblem(a, b, out);
  problem.isCodeProduct = true;
  bool isRuntime = k.profile == eval::Profile::OnnxRuntime;
  problem.profile = isRuntime ? tally::quant::Profile::OnnxRuntime
                              : tally::quant::Profile::Ideal;
  auto record = deriveChannelRecord(problem);
  if (!record)
    return atNode(k, record.takeError());
  return record;
}

Result<ElementCode> tally::cpu::productCode(KernelBuilder &k) {
  eval::Tensor a = k.operandInfo(0), b = k.operandInfo(1);
  eval::Tensor out = k.resultInfo();
  if (Status status = checkCodeBits(k, *out.quant); !status)
    return status.takeError();
  auto record = productRecord(k, *a.quant, *b.quant, *out.quant);
  if (!record)
    return record.takeError();
  auto tables = std::make_shared<RequantizeTables>(k, std::vector{*record});
  bool isWide = eval::byteSize(a.element) + eval::byteSize(b.element) > 2;
  Type type = isWide ? k.i64() : k.i32();
  auto steps = [&k, type](Value code, const eval::Tensor &tensor) -> Value {
    Value wide = k.widen(code, tensor.element, type);
    return arith::SubIOp::create(
        k.b, wide, k.integer(wide.getType(), tensor.quant->zeroPoint()));
  };
  return ElementCode([=, &k](const ElementInputs &x) {
           Value stepsA = steps(x[0], a), stepsB = steps(x[1], b);
           Value product = arith::MulIOp::create(k.b, stepsA, stepsB);
           return tables->codes(product, k.index(0), out.element);
         })
      .onLanes(!isWide);
}
