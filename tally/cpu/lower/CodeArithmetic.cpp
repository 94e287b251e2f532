//===- CodeArithmetic.cpp - sums and products of codes --------------------===//

#include "tally/cpu/FloatMath.h"
#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/quant/LinearCombine.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// A fixed-point record of two codes, all fields uniform over the tensor, as
/// i32 code.
static Value fixedPoint(KernelBuilder &k,
                        const tally::quant::LinearRecord &record, Value a,
                        Value b) {
  auto &builder = k.b;
  auto c = [&](int64_t value) { return k.integer(k.i64(), value); };
  auto term = [&](Value code, int64_t multiplier) -> Value {
    Value wide = arith::ExtSIOp::create(builder, k.i64(), code);
    return arith::MulIOp::create(builder, wide, c(multiplier));
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
  code = arith::TruncIOp::create(builder, k.i32(),
                                 k.clamp(code, record.clampLo, record.clampHi));
  for (const tally::quant::CodePair &pair : record.exceptions) {
    auto equals = [&](Value x, int32_t value) -> Value {
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, x,
                                   k.integer(k.i32(), value));
    };
    Value both =
        arith::AndIOp::create(builder, equals(a, pair.a), equals(b, pair.b));
    code = arith::SelectOp::create(builder, both, k.integer(k.i32(), pair.code),
                                   code);
  }
  return code;
}

/// onnxruntime's order: RHE(fma(a, ratioA, fma(b, ratioB, constant))), with a
/// and b exchanged when a is the broadcast scalar.
static Value floatLinear(KernelBuilder &k,
                         const tally::quant::LinearRecord &record, Value a,
                         Value b) {
  FloatMath math(k);
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
  auto record = tally::quant::deriveLinear(problem);
  if (!record)
    return atNode(k, record.takeError());
  Value table;
  if (record->kind == tally::quant::LinearKind::Table)
    table = codeTable(k, record->table, out.element);
  return ElementCode([=, &k,
                      record = *record](const ElementInputs &x) -> Value {
    Value codeA = x[0], codeB = x[1];
    if (table) {
      Value row =
          k.mulIndex(tableIndex(k, codeA, record.typeA), record.typeB.count());
      return k.load(table, k.addIndex(row, tableIndex(k, codeB, record.typeB)));
    }
    Value wideA = k.widen(codeA, a.element, k.i32());
    Value wideB = k.widen(codeB, b.element, k.i32());
    Value code = record.kind == tally::quant::LinearKind::Float
                     ? floatLinear(k, record, wideA, wideB)
                     : fixedPoint(k, record, wideA, wideB);
    return k.narrow(code, out.element);
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Result<tally::quant::RequantizeRecord>
productRecord(KernelBuilder &k, const eval::Quantization &a,
              const eval::Quantization &b, const eval::Quantization &out) {
  tally::quant::RequantizeProblem problem = nn::productProblem(a, b, out);
  problem.isCodeProduct = true;
  bool isRuntime = k.profile == eval::Profile::OnnxRuntime;
  problem.profile = isRuntime ? tally::quant::Profile::OnnxRuntime
                              : tally::quant::Profile::Ideal;
  auto record = tally::quant::deriveRequantize(problem);
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
    return arith::SubIOp::create(k.b, k.widen(code, tensor.element, type),
                                 k.integer(type, tensor.quant->zeroPoint()));
  };
  return ElementCode([=, &k](const ElementInputs &x) {
    Value stepsA = steps(x[0], a), stepsB = steps(x[1], b);
    Value product = arith::MulIOp::create(k.b, stepsA, stepsB);
    return k.narrow(tables->apply(product, k.index(0)), out.element);
  });
}
