//===- TopK.cpp - the k best elements along an axis, on the CPU -----------===//
//
// Selection in order: each pass over the line finds the best element that comes
// after the one found before, ties by index, so nothing is moved or marked. k
// passes of n steps; networks ask for few.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/Lowerings.h"

#include "tally/cpu/KernelBuilder.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

namespace {
/// The order of a line's elements.
struct Order {
  KernelBuilder &k;
  eval::Element element;
  bool largest;

  /// a < b; a NaN is larger than any number.
  Value less(Value a, Value b) const {
    if (!eval::isFloat(element)) {
      auto predicate = eval::isSigned(element) ? arith::CmpIPredicate::slt
                                               : arith::CmpIPredicate::ult;
      return arith::CmpIOp::create(k.b, predicate, a, b);
    }
    using P = arith::CmpFPredicate;
    Value below = arith::CmpFOp::create(k.b, P::OLT, a, b);
    Value number = arith::CmpFOp::create(k.b, P::ORD, a, a);
    Value nan = arith::CmpFOp::create(k.b, P::UNO, b, b);
    return arith::OrIOp::create(k.b, below,
                                arith::AndIOp::create(k.b, number, nan));
  }
  /// Whether element a at index i comes before element b at index j.
  Value before(Value a, Value i, Value b, Value j) const {
    Value better = largest ? less(b, a) : less(a, b);
    Value worse = largest ? less(a, b) : less(b, a);
    Value first = arith::CmpIOp::create(k.b, arith::CmpIPredicate::slt, i, j);
    // better, or neither better nor worse and first.
    Value same =
        arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, better, worse);
    return arith::SelectOp::create(k.b, same, first, better);
  }
};

struct TopKLowering : CpuLowering::ExternalModel<TopKLowering, nn::TopKOp> {
  Status lower(Operation *operation, KernelBuilder &k) const {
    auto op = cast<nn::TopKOp>(operation);
    eval::Tensor in = k.operandInfo(0), out = k.resultInfo(0);
    if (in.element == eval::Element::F16 || in.element == eval::Element::BF16)
      return k.unsupported("half-precision operands");
    if (out.count() == 0)
      return Status::success();
    auto axis = static_cast<size_t>(op.getAxis());
    int64_t n = in.shape[axis], count = out.shape[axis];
    int64_t inner = eval::stridesOf(in.shape)[axis];
    Order order{k, in.element, op.getLargest()};
    Value input = k.flat(k.operand(0));
    Value values = k.flat(k.result(0)), indices = k.flat(k.result(1));
    k.loops({in.count() / (n * inner), inner}, [&](ValueRange line) {
      auto place = [&](Value i, int64_t size) {
        Value base = k.addIndex(k.mulIndex(line[0], size * inner), line[1]);
        return k.addIndex(base, k.mulIndex(i, inner));
      };
      auto load = [&](Value i) { return k.load(input, place(i, n)); };
      // -1: none yet.
      auto chosen = scf::ForOp::create(k.b, k.index(0), k.index(count),
                                       k.index(1), k.index(-1));
      OpBuilder::InsertionGuard guard(k.b);
      k.b.setInsertionPointToStart(chosen.getBody());
      Value last = chosen.getRegionIterArg(0);
      Value best = k.fold(n, k.index(-1), [&](Value i, Value carried) {
        return better(order, load, last, i, carried);
      });
      Value target = place(chosen.getInductionVar(), count);
      k.store(load(best), values, target);
      k.store(arith::IndexCastOp::create(k.b, k.i64(), best), indices, target);
      scf::YieldOp::create(k.b, best);
    });
    return Status::success();
  }

  /// i when it comes after `last` and before the best so far, else that.
  static Value better(const Order &order, llvm::function_ref<Value(Value)> load,
                      Value last, Value i, Value best) {
    KernelBuilder &k = order.k;
    Value none = k.index(-1), zero = k.index(0);
    auto isNone = [&](Value index) -> Value {
      return arith::CmpIOp::create(k.b, arith::CmpIPredicate::eq, index, none);
    };
    auto safe = [&](Value index) -> Value {
      return arith::MaxSIOp::create(k.b, index, zero);
    };
    Value x = load(i), lastX = load(safe(last)), bestX = load(safe(best));
    Value isLeft = arith::OrIOp::create(k.b, isNone(last),
                                        order.before(lastX, last, x, i));
    Value isBetter = arith::OrIOp::create(k.b, isNone(best),
                                          order.before(x, i, bestX, best));
    Value take = arith::AndIOp::create(k.b, isLeft, isBetter);
    return arith::SelectOp::create(k.b, take, i, best);
  }
};
} // namespace

void tally::cpu::registerTopKLowering(MLIRContext &context) {
  nn::TopKOp::attachInterface<TopKLowering>(context);
}
