//===- KernelSteps.cpp - a kernel whose loops are split -------------------===//
//
// Of the operations at the top of a kernel, each split loop is a step, and so
// are the operations that write between two of them. All others (constants,
// views, loads) are values, which every step that needs them makes for itself:
//
//     %z = load %operand                  step 0        step 1 (split)
//     for ... store ..., %copy            for ...       %z = load %operand
//     for (split) ... load %copy, %z                    for ... %copy, %z
//
// A value that is read from memory the kernel writes is there in the step that
// follows it only. A kernel that needs more, such as the result of a loop that
// also writes, is not split, and neither is one whose parts would write over
// each other: with part 0 of 1 in place of the marks it is the whole kernel.
//
// Cost: one clone of the kernel for each step.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/KernelSteps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

using namespace mlir;
using namespace tally::cpu;

//===----------------------------------------------------------------------===//
// What an operation does to memory
//===----------------------------------------------------------------------===//

/// The argument whose memory `memref` is, if it is one's.
static std::optional<unsigned> argumentOf(Value memref, func::FuncOp kernel) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || argument.getOwner()->getParentOp() != kernel)
    return std::nullopt;
  return argument.getArgNumber();
}

/// An intrinsic on numbers, such as a product of vectors.
static bool isPureCall(Operation *op) {
  return isa<LLVM::CallIntrinsicOp>(op) &&
         llvm::none_of(op->getOperandTypes(), [](Type type) {
           return isa<MemRefType, LLVM::LLVMPointerType>(type);
         });
}

namespace {
enum class Access { None, ReadsConstant, ReadsWritable, Writes };

/// The strongest access of an operation and all inside of it.
struct AccessFinder {
  func::FuncOp kernel;
  llvm::function_ref<bool(unsigned)> isReadOnly;

  Access of(Operation *op) const {
    Access strongest = Access::None;
    op->walk([&](Operation *inner) {
      strongest = std::max(strongest, ofOne(inner));
    });
    return strongest;
  }

private:
  Access ofOne(Operation *op) const {
    if (isPureCall(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return Access::None;
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return op->hasTrait<OpTrait::IsTerminator>() ? Access::None
                                                   : Access::Writes;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    Access strongest = Access::None;
    for (const MemoryEffects::EffectInstance &effect : effects)
      strongest = std::max(strongest, ofEffect(effect));
    return strongest;
  }

  Access ofEffect(const MemoryEffects::EffectInstance &effect) const {
    if (!isa<MemoryEffects::Read>(effect.getEffect()))
      return Access::Writes;
    auto argument = effect.getValue() ? argumentOf(effect.getValue(), kernel)
                                      : std::nullopt;
    return argument && isReadOnly(*argument) ? Access::ReadsConstant
                                             : Access::ReadsWritable;
  }
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The operations at the top of a kernel, by step.
struct StepList {
  struct Step {
    llvm::SmallPtrSet<Operation *, 8> own;
    bool isSplit = false, isClosed = false;
  };
  std::vector<Step> steps;
  /// Values that are read from memory that the kernel writes: the step after.
  llvm::DenseMap<Operation *, size_t> readBefore;

  void add(Operation &op, Access access) {
    if (op.hasAttr(kSplitLoop)) {
      steps.push_back({{&op}, true, true});
    } else if (access == Access::Writes) {
      if (steps.empty() || steps.back().isClosed)
        steps.emplace_back();
      steps.back().own.insert(&op);
    } else if (access == Access::ReadsWritable) {
      if (!steps.empty())
        steps.back().isClosed = true;
      readBefore[&op] = steps.size();
    }
  }

  bool isSplit() const {
    return llvm::any_of(steps, [](const Step &step) { return step.isSplit; });
  }
};
} // namespace

static StepList listSteps(func::FuncOp kernel,
                          llvm::function_ref<bool(unsigned)> isReadOnly) {
  StepList list;
  AccessFinder accesses = {kernel, isReadOnly};
  for (Operation &op : kernel.getBody().front().without_terminator())
    list.add(op, accesses.of(&op));
  return list;
}

/// The operation at the top of the kernel that `op` is in.
static Operation *topOf(Operation *op, func::FuncOp kernel) {
  while (op->getParentOp() != kernel)
    op = op->getParentOp();
  return op;
}

/// All operations of the kernel's top that a step needs, its own included.
static llvm::SetVector<Operation *> neededBy(const StepList::Step &step,
                                             func::FuncOp kernel) {
  llvm::SetVector<Operation *> needed(step.own.begin(), step.own.end());
  for (size_t i = 0; i < needed.size(); ++i)
    needed[i]->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          needed.insert(topOf(source, kernel));
    });
  return needed;
}

/// Whether each step can make for itself all that it needs.
static bool areApart(const StepList &list,
                     ArrayRef<llvm::SetVector<Operation *>> needed) {
  for (auto [i, operations] : llvm::enumerate(needed))
    for (Operation *op : operations) {
      bool isOthers = llvm::any_of(list.steps, [&](const auto &step) {
        return &step != &list.steps[i] && step.own.contains(op);
      });
      auto read = list.readBefore.find(op);
      if (isOthers || (read != list.readBefore.end() && read->second != i))
        return false;
    }
  return true;
}

/// A copy of the kernel with `needed` only.
static func::FuncOp copyOf(func::FuncOp kernel,
                           const llvm::SetVector<Operation *> &needed) {
  OpBuilder b(kernel);
  auto copy = cast<func::FuncOp>(b.clone(*kernel));
  SmallVector<Operation *> dropped;
  for (auto [from, to] :
       llvm::zip(kernel.getBody().front().without_terminator(),
                 copy.getBody().front().without_terminator()))
    if (!needed.contains(&from))
      dropped.push_back(&to);
  for (Operation *op : llvm::reverse(dropped)) {
    op->dropAllUses();
    op->erase();
  }
  return copy;
}

//===----------------------------------------------------------------------===//
// Shared writes
//===----------------------------------------------------------------------===//

namespace {
/// The values of a kernel that may differ between iterations or parts: what is
/// made of a split loop's index, or of part and parts.
class Varying {
public:
  explicit Varying(func::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      if (op->hasAttr(kPart) || op->hasAttr(kParts))
        values.insert(op->getResult(0));
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && op->hasAttr(kSplitLoop))
        values.insert(loop.getInductionVar());
    });
    size_t known;
    do {
      known = values.size();
      kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { spread(op); });
    } while (values.size() != known);
  }

  bool isUsedBy(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return values.contains(value); });
  }

  /// Whether a memref or index of `op` varies: the number that is stored does
  /// not tell where it goes.
  bool isPlaceOf(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return isa<MemRefType, IndexType>(value.getType()) &&
             values.contains(value);
    });
  }

private:
  /// What is carried or yielded by a loop varies with its parts.
  void spread(Operation *op) {
    if (!isUsedBy(op))
      return;
    Operation *made =
        op->hasTrait<OpTrait::IsTerminator>() ? op->getParentOp() : op;
    values.insert(made->result_begin(), made->result_end());
    for (Region &region : made->getRegions())
      for (Block &block : region)
        values.insert(block.args_begin(), block.args_end());
  }

  llvm::DenseSet<Value> values;
};
} // namespace

static bool writes(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  return interface && interface.hasEffect<MemoryEffects::Write>();
}

Operation *tally::cpu::findSharedWrite(func::FuncOp kernel) {
  std::optional<Varying> varying; // few kernels have split loops
  Operation *found = nullptr;
  kernel.walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(kSplitLoop))
      return;
    if (!varying)
      varying.emplace(kernel);
    loop.walk([&](Operation *op) {
      if (!found && writes(op) && !varying->isPlaceOf(op))
        found = op;
    });
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Part and parts
//===----------------------------------------------------------------------===//

/// Makes arguments of the constants that stand for part and parts.
static void takeParts(func::FuncOp step) {
  Type type = IndexType::get(step.getContext());
  for (const char *mark : {kPart, kParts}) {
    unsigned i = step.getNumArguments();
    (void)step.insertArgument(i, type, {}, step.getLoc());
    for (auto constant : llvm::make_early_inc_range(
             step.getBody().front().getOps<arith::ConstantOp>()))
      if (constant->hasAttr(mark)) {
        constant->replaceAllUsesWith(ValueRange{step.getArgument(i)});
        constant.erase();
      }
  }
}

static void removeMarks(func::FuncOp step) {
  step.walk([](Operation *op) {
    for (const char *mark : {kSplitLoop, kPart, kParts})
      op->removeAttr(mark);
  });
}

static std::vector<KernelStep> unsplit(func::FuncOp kernel) {
  removeMarks(kernel);
  return {{kernel, false}};
}

std::vector<KernelStep>
tally::cpu::splitSteps(func::FuncOp kernel,
                       llvm::function_ref<bool(unsigned)> isReadOnly) {
  StepList list = listSteps(kernel, isReadOnly);
  if (!list.isSplit() || findSharedWrite(kernel))
    return unsplit(kernel);
  SmallVector<llvm::SetVector<Operation *>> needed;
  for (const StepList::Step &step : list.steps)
    needed.push_back(neededBy(step, kernel));
  if (!areApart(list, needed))
    return unsplit(kernel);
  std::vector<KernelStep> steps;
  for (auto [step, operations] : llvm::zip(list.steps, needed)) {
    func::FuncOp copy = copyOf(kernel, operations);
    if (step.isSplit)
      takeParts(copy);
    removeMarks(copy);
    steps.push_back({copy, step.isSplit});
  }
  kernel.erase();
  return steps;
}
