//===- KernelBuilder.h - writes one operator's kernel -----------*- C++ -*-===//
//
// A kernel is a private function on memrefs of static shape, dense, in plain
// order or channels last (Order.h). It asks for what it needs (operands,
// results, constant tables, scratch memory) and each becomes an argument; the
// caller of the kernel learns from `arguments` what to pass. Kernels that come
// out equal are shared between operations, so tables are arguments and never
// part of the body.
//
// One kernel can compute a whole nn.fused: its anchor writes each result
// through `storeResult`, which passes it through the stages of the epilogue
// while it is still in a register. The anchor's lowering does not notice.
//
// "Element" without more is a place in a tensor's memory: that of the flat
// memref, whatever order it has.
//
// In memory codes are the signless integers that store them, booleans are i8
// (0 or 1).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_KERNELBUILDER_H
#define TALLY_CPU_KERNELBUILDER_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/MadeOnce.h"
#include "tally/cpu/Order.h"
#include "tally/eval/Request.h"
#include "tally/ops/Ops.h"
#include "tally/support/Result.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>
#include <memory>

namespace tally::cpu {

using mlir::Value;
using mlir::ValueRange;

/// What the caller passes for one kernel argument.
struct KernelArgument {
  enum class Kind { Operand, Result, Copy, Constant, Scratch };
  Kind kind;
  int64_t index = 0; ///< of the operand, result or copy of result 0
  eval::Tensor data; ///< Constant: the contents
  int64_t bytes = 0; ///< Scratch
};

/// The shape of a tensor's memref. A tensor without elements has no pointer
/// form in LLVM, so its empty dimensions count as 1; loops go by the tensor's
/// own shape and never touch it.
eval::Shape memrefShape(eval::Shape shape);

/// The signless type that stores `element`.
mlir::Type storageType(mlir::MLIRContext *context, eval::Element element);

/// Emits the code of one element of an elementwise operation. `value` is the
/// element of the chained operand, `element` its place in the result's memory;
/// the value returned is the result's element.
struct ElementStage : std::function<Value(Value value, Value element)> {
  using function::function;
  /// `value` may also be a vector of up to so many lanes: the chained operand's
  /// elements from `element` on. So is then what is returned. 0: never.
  int64_t mostLanes = 0;
  /// Such lanes lie in one aligned block of so many elements of the result: in
  /// it every other operand has an element beside each, or one for all.
  int64_t span = 1;

  /// Whether it takes lanes of one aligned block of `block` elements.
  bool takesLanesIn(int64_t block) const {
    return mostLanes > 0 && span % block == 0;
  }
};

class Layouts;

class KernelBuilder {
public:
  /// Starts an empty function named `name` in `module`.
  KernelBuilder(mlir::Operation *op, Tier tier, eval::Profile profile,
                mlir::ModuleOp module, llvm::StringRef name);

  /// The operation being lowered: the whole one, or one inside of an nn.fused.
  mlir::Operation *op;
  const Tier tier;
  const eval::Profile profile;
  mlir::func::FuncOp function;
  mlir::ImplicitLocOpBuilder b;
  std::vector<KernelArgument> arguments;

  /// Where result 0 is stored besides, each a Copy argument; only for kernels
  /// that store through `storeResult`.
  size_t copies = 0;
  /// Of an operand by position: whose memory it is, that of the result (0) or
  /// of copy i (i + 1). It is overwritten element by element, so the kernel
  /// must have read what it stores over.
  llvm::SmallVector<std::optional<size_t>> shared;
  /// Of a concatenation with parts (Parts.h): the operands, by position, that
  /// are not yet where they belong.
  std::optional<llvm::SmallVector<size_t>> copied;
  bool isInPart(size_t i) const {
    return copied && !llvm::is_contained(*copied, i);
  }
  /// The orders of tensors; all are plain without it.
  const Layouts *layouts = nullptr;
  /// Whether operand `i` is the memory of the result.
  bool isInPlace(size_t i) const { return i < shared.size() && shared[i] == 0; }

  /// What was made for other tiers of the module.
  std::shared_ptr<MadeOnce> made = std::make_shared<MadeOnce>();
  /// What make() gives for the operation being lowered, whatever the tier.
  template <typename T>
  const T &once(const std::string &what, llvm::function_ref<T()> make) {
    return made->get<T>(op, what, make);
  }

  /// How many parts a loop is split into at most. 1: none is split.
  int64_t parts = 1;
  /// Choices beside the cheapest schedule; may be null.
  const ProductSchedules *schedules = nullptr;
  /// The products that asked for their schedule, and what they got.
  ProductSchedules scheduled;

  /// Shape, element and grid of an operand (by position; must be present) or
  /// a result.
  eval::Tensor operandInfo(size_t i) const;
  eval::Tensor resultInfo(size_t i = 0) const;
  /// The order of their memory.
  Order operandOrder(size_t i) const;
  Order resultOrder() const;
  size_t operandCount() const; ///< absent ones included
  bool hasOperand(size_t i) const;
  /// The contents of an operand that depends on constants only.
  std::optional<eval::Tensor> constantOperand(size_t i) const;
  /// The schedule of a product that the kernel is about to make.
  ProductSchedule scheduleOf(const ProductTask &task);
  /// Whether an operand is a constant as it stands, not made of one, that only
  /// products read: then their kernels may keep it in a form of their own, and
  /// it is stored once.
  bool isConstantOfProducts(size_t i) const;

  /// Arguments, as memrefs.
  Value operand(size_t i);
  Value result(size_t i = 0);
  /// The same in one dimension, made once outside of all loops.
  Value flatOperand(size_t i);
  Value flatResult();
  Value constant(const eval::Tensor &tensor);
  template <typename T> Value constant(llvm::ArrayRef<T> values);
  /// Memory of the kernel's own, as any memory of memrefShape(shape). What is
  /// asked for in the body of a loop that is split is each part's own, and may
  /// be used anywhere in it.
  Value scratch(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  /// Stores the operation's result at an element. Inside of an nn.fused,
  /// the value of the anchor goes through the epilogue first.
  void storeResult(Value value, Value element);

  /// The same for elements [element, element + count) of the result, one after
  /// the other in memory: lanes [0, count) of a vector, in storage form. They
  /// lie in one aligned block of `span` elements (the channels of a pixel, a
  /// row of a matrix). Stages take them as a vector, or as several shorter
  /// ones, or, where they cannot, one by one. A vector has up to 16 lanes or a
  /// multiple of 16.
  void storeLanes(Value lanes, Value element, int64_t count, int64_t span);
  /// The largest span, at most `span` and at least `least`, in which the first
  /// stages take lanes; `span` itself where the first of them takes none.
  int64_t epilogueSpan(int64_t span, int64_t least) const;
  /// Elements of a flat memref from `element` on as a vector of `lanes`. Inside
  /// of storeLanes and usingLanes only `count` are read, the others are 0.
  Value loadLanes(Value memref, Value element, int64_t lanes);
  void usingLanes(int64_t count, llvm::function_ref<void()> body);

  /// Lowers `inner`, an operation in the region of the one the kernel is for:
  /// until `body` returns, operands and results are those of `inner`, and an
  /// operand that comes from outside is the kernel's.
  void within(mlir::Operation *inner, llvm::function_ref<void()> body);

  /// Adds the last stage of the epilogue so far.
  void addStage(ElementStage stage) { epilogue.push_back(std::move(stage)); }

  /// Types.
  mlir::Type i1() { return b.getI1Type(); }
  mlir::Type i8() { return b.getI8Type(); }
  mlir::Type i16() { return b.getIntegerType(16); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type f64() { return b.getF64Type(); }
  mlir::Type storage(eval::Element element) {
    return storageType(b.getContext(), element);
  }

  /// Constants of index, integer and float type; of a vector type, in every
  /// lane.
  Value index(int64_t value);
  Value integer(mlir::Type type, int64_t value);
  Value real(mlir::Type type, double value);

  /// for (iv = 0; iv < count; ++iv) body(iv); without a loop when count is 1.
  void loop(int64_t count, llvm::function_ref<void(Value)> body);
  /// A nest over all indices of a shape, last dimension innermost.
  void loops(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(ValueRange)> body);
  /// The same, split into parts that threads may work on at the same time:
  /// ranges of whole multiples of `grain`, as equal as can be. What a body
  /// writes, no other reads or writes, but for scratch asked for in the body.
  /// Only at the top of a kernel, where each such loop begins when all before
  /// it is complete (KernelSteps.h); elsewhere they are loops as any others.
  void parallelLoop(int64_t count, llvm::function_ref<void(Value)> body,
                    int64_t grain = 1);
  /// Whether such a loop is split here.
  bool canSplitHere();
  /// A nest whose leading dimensions are split.
  void parallelLoops(llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<void(ValueRange)> body);
  /// The value of a loop-carried variable after `count` steps.
  Value fold(int64_t count, Value start,
             llvm::function_ref<Value(Value iv, Value carried)> step);

  Value load(Value memref, ValueRange indices) {
    return mlir::memref::LoadOp::create(b, memref, indices);
  }
  void store(Value value, Value memref, ValueRange indices) {
    mlir::memref::StoreOp::create(b, value, memref, indices);
  }
  /// The same memory as one dimension.
  Value flat(Value memref);

  /// Index arithmetic.
  Value addIndex(Value a, Value b2);
  Value mulIndex(Value a, int64_t factor);
  Value toIndex(Value integer, bool isSigned);

  /// A loaded element of `element` widened to `wide` (i32 or i64) by its sign.
  /// Here and below, a vector's lanes each by itself.
  Value widen(Value code, eval::Element element, mlir::Type wide);
  /// The low bits of a wide integer as a stored element.
  Value narrow(Value value, eval::Element element);
  /// min(max(value, low), high) on signed integers.
  Value clamp(Value value, int64_t low, int64_t high);

  /// Ends the function. No call may follow.
  void finish();

  /// "no CPU code for ..." as a Diagnostic naming the operation (CPU-1).
  tally::Diagnostic unsupported(const std::string &what) const;

private:
  Value addArgument(mlir::MemRefType type, KernelArgument argument);
  mlir::MemRefType memrefOf(const eval::Tensor &info,
                            Order order = Order::Plain);
  Value tensorArgument(KernelArgument::Kind kind, size_t i,
                       const eval::Tensor &info, Order order);
  Value copy(size_t i);
  Value partBound(Value part, int64_t blocks);
  Value partMark(const char *mark, int64_t value);
  Value flatOnce(Value argument);
  /// To the result and its copies.
  void storeEverywhere(llvm::function_ref<void(Value memref)> store);
  /// Stores lanes after the stages from `stage` on: as they are, in vectors of
  /// as many as that stage takes, or one by one.
  void storeFrom(size_t stage, Value lanes, Value element, int64_t count,
                 int64_t span);
  void storePieces(size_t stage, Value lanes, Value element, int64_t count,
                   int64_t span);
  void storeEach(size_t stage, Value lanes, Value element, int64_t count);
  void storeVector(Value lanes, Value memref, Value element);

  mlir::Operation *const whole; ///< whose operands and results are arguments
  std::vector<ElementStage> epilogue;
  int64_t count = 0; ///< of lanes in use, or 0 where all are
  llvm::DenseMap<Value, Value> flattened; ///< by argument
  Value part, partCount;                  ///< constants that are marked
  /// While the body of a split loop is written: what its memory is made before.
  mlir::Operation *splitLoop = nullptr;
};

template <typename T> eval::Element elementFor();
template <> inline eval::Element elementFor<int8_t>() {
  return eval::Element::I8;
}
template <> inline eval::Element elementFor<int16_t>() {
  return eval::Element::I16;
}
template <> inline eval::Element elementFor<int32_t>() {
  return eval::Element::I32;
}
template <> inline eval::Element elementFor<int64_t>() {
  return eval::Element::I64;
}
template <> inline eval::Element elementFor<float>() {
  return eval::Element::F32;
}

template <typename T> Value KernelBuilder::constant(llvm::ArrayRef<T> values) {
  eval::Tensor tensor;
  tensor.shape = {static_cast<int64_t>(values.size())};
  tensor.element = elementFor<T>();
  tensor.allocate();
  llvm::copy(values, tensor.data<T>());
  return constant(tensor);
}

} // namespace tally::cpu

#include "tally/cpu/Lowering.h.inc"

#endif // TALLY_CPU_KERNELBUILDER_H
