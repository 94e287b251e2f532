//===- Elementwise.cpp - elementwise kernels ------------------------------===//

#include "tally/cpu/lower/Elementwise.h"
#include "tally/cpu/FloatMath.h"
#include "tally/cpu/Requantize.h"
#include "tally/cpu/lower/Lowerings.h"
#include "tally/graph/Locations.h"
#include "tally/quant/LinearCombine.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void tally::cpu::lowerUnary(KernelBuilder &k,
                            llvm::function_ref<Value(Value)> fn) {
  Value input = k.flat(k.operand(0)), output = k.flat(k.result());
  k.loop(k.resultInfo().count(),
         [&](Value i) { k.store(fn(k.load(input, i)), output, i); });
}

/// Strides of an operand seen through the result's dimensions.
static eval::Shape broadcastStrides(const eval::Shape &operand, size_t rank) {
  eval::Shape own = eval::stridesOf(operand), strides(rank, 0);
  size_t lead = rank - operand.size();
  for (size_t i = 0; i < operand.size(); ++i)
    strides[lead + i] = operand[i] == 1 ? 0 : own[i];
  return strides;
}

static Value flatIndex(KernelBuilder &k, ValueRange indices,
                       const eval::Shape &strides) {
  Value flat = k.index(0);
  for (auto [index, stride] : llvm::zip(indices, strides))
    if (stride)
      flat = k.addIndex(flat, k.mulIndex(index, stride));
  return flat;
}

void tally::cpu::forEachBroadcast(
    KernelBuilder &k, const eval::Shape &result,
    llvm::ArrayRef<eval::Shape> operands,
    llvm::function_ref<void(Value, ValueRange)> body) {
  if (llvm::all_of(operands, [&](auto &shape) { return shape == result; })) {
    k.loop(eval::elementCount(result),
           [&](Value i) { body(i, SmallVector<Value>(operands.size(), i)); });
    return;
  }
  k.loops(result, [&](ValueRange indices) {
    SmallVector<Value> elements;
    for (const eval::Shape &operand : operands)
      elements.push_back(
          flatIndex(k, indices, broadcastStrides(operand, result.size())));
    body(flatIndex(k, indices, eval::stridesOf(result)), elements);
  });
}

void tally::cpu::lowerBinary(KernelBuilder &k,
                             llvm::function_ref<Value(Value, Value)> fn) {
  Value a = k.flat(k.operand(0)), b = k.flat(k.operand(1));
  Value output = k.flat(k.result());
  forEachBroadcast(k, k.resultInfo().shape,
                   {k.operandInfo(0).shape, k.operandInfo(1).shape},
                   [&](Value i, ValueRange at) {
                     k.store(fn(k.load(a, at[0]), k.load(b, at[1])), output, i);
                   });
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

static tally::quant::Grid quantGrid(const eval::Quantization &grid) {
  return tally::quant::Grid::perTensor(codeType(grid), grid.scale(),
                                       static_cast<int32_t>(grid.zeroPoint()));
}

static tally::Diagnostic atNode(KernelBuilder &k, tally::Diagnostic failure) {
  failure.node = nn::nodeName(k.op);
  return failure;
}

/// The position of a code in its table: its own bits as an unsigned number.
static Value tableIndex(KernelBuilder &k, Value code,
                        tally::quant::CodeType type) {
  Value wide = arith::ExtUIOp::create(k.b, k.i32(), code);
  if (type.bits < 8)
    wide = arith::AndIOp::create(
        k.b, wide, k.integer(k.i32(), (int64_t(1) << type.bits) - 1));
  return k.toIndex(wide, /*isSigned=*/false);
}

/// Codes as a constant of the element that stores them.
static Value codeTable(KernelBuilder &k, llvm::ArrayRef<int32_t> codes,
                       eval::Element element) {
  eval::Tensor tensor;
  tensor.shape = {static_cast<int64_t>(codes.size())};
  tensor.element = element;
  tensor.allocate();
  for (auto [i, code] : llvm::enumerate(codes))
    eval::storeInt(tensor, i, code);
  return k.constant(tensor);
}

Status tally::cpu::lowerTable(KernelBuilder &k,
                              const tally::quant::UnaryFunction &function) {
  eval::Tensor in = k.operandInfo(0), out = k.resultInfo();
  auto table = tally::quant::buildUnaryTable(function, quantGrid(*in.quant),
                                             quantGrid(*out.quant));
  if (!table)
    return atNode(k, table.takeError());
  Value codes = codeTable(k, table->codes, out.element);
  lowerUnary(k, [&](Value code) {
    return k.load(codes, tableIndex(k, code, table->input));
  });
  return Status::success();
}

static tally::quant::LinearTerm linearTerm(const eval::Quantization &grid) {
  return {codeType(grid), grid.scale(), static_cast<int32_t>(grid.zeroPoint())};
}

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

Status tally::cpu::lowerLinear(KernelBuilder &k, bool subtract) {
  eval::Tensor a = k.operandInfo(0), b = k.operandInfo(1);
  eval::Tensor out = k.resultInfo();
  tally::quant::LinearProblem problem;
  problem.a = linearTerm(*a.quant);
  problem.b = linearTerm(*b.quant);
  problem.subtract = subtract;
  problem.outputScale = out.quant->scale();
  problem.result = codeType(*out.quant);
  problem.zeroPoint = static_cast<int32_t>(out.quant->zeroPoint());
  bool hasForm = k.profile == eval::Profile::OnnxRuntime && !subtract;
  problem.profile = hasForm ? tally::quant::Profile::OnnxRuntime
                            : tally::quant::Profile::Ideal;
  problem.scalarA = a.count() == 1 && b.count() != 1;
  auto record = tally::quant::deriveLinear(problem);
  if (!record)
    return atNode(k, record.takeError());
  Value table;
  if (record->kind == tally::quant::LinearKind::Table)
    table = codeTable(k, record->table, out.element);
  lowerBinary(k, [&](Value x, Value y) -> Value {
    if (table) {
      Value row =
          k.mulIndex(tableIndex(k, x, record->typeA), record->typeB.count());
      return k.load(table, k.addIndex(row, tableIndex(k, y, record->typeB)));
    }
    Value wideX = k.widen(x, a.element, k.i32());
    Value wideY = k.widen(y, b.element, k.i32());
    Value code = record->kind == tally::quant::LinearKind::Float
                     ? floatLinear(k, *record, wideX, wideY)
                     : fixedPoint(k, *record, wideX, wideY);
    return k.narrow(code, out.element);
  });
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
struct ReluLowering : CpuLowering::ExternalModel<ReluLowering, nn::ReluOp> {
  Status lower(Operation *op, KernelBuilder &k) const {
    eval::Tensor in = k.operandInfo(0);
    if (in.isQuantized())
      return lowerTable(k, cast<nn::TableOperator>(op).unaryFunction());
    if (in.element == eval::Element::F32) {
      FloatMath math(k);
      lowerUnary(k, [&](Value x) {
        return math.select(math.le(x, math.f32(0)), math.f32(0), x);
      });
      return Status::success();
    }
    if (eval::isFloat(in.element) || !eval::isSigned(in.element))
      return k.unsupported(std::string(eval::name(in.element)) + " operands");
    lowerUnary(k, [&](Value x) {
      return arith::MaxSIOp::create(k.b, x, k.integer(x.getType(), 0));
    });
    return Status::success();
  }
};

struct AddLowering : CpuLowering::ExternalModel<AddLowering, nn::AddOp> {
  Status lower(Operation *, KernelBuilder &k) const {
    eval::Tensor in = k.operandInfo(0);
    if (in.isQuantized())
      return lowerLinear(k, /*subtract=*/false);
    if (in.element == eval::Element::F16 || in.element == eval::Element::BF16)
      return k.unsupported("half-precision operands");
    bool isFloat = eval::isFloat(in.element);
    lowerBinary(k, [&](Value x, Value y) -> Value {
      if (isFloat)
        return arith::AddFOp::create(k.b, x, y);
      return arith::AddIOp::create(k.b, x, y);
    });
    return Status::success();
  }
};
} // namespace

void tally::cpu::registerElementwiseLowerings(MLIRContext &context) {
  nn::AddOp::attachInterface<AddLowering>(context);
  nn::ReluOp::attachInterface<ReluLowering>(context);
}
