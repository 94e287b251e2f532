//===- Dispatch.cpp - split kernels through the caller's threads ----------===//
//
// An entry function's call
//
//     call kernel(a, b, c, 0, 1)
//
// of a kernel that can be split becomes
//
//     frame = { a, b, c }                          on the stack
//     call SYMBOL_each(parallel_for, user, kernel_task, frame)
//
//     kernel_task(frame, part, parts):
//       if part < min(parts, most)
//         kernel(frame[0], frame[1], frame[2], part, min(parts, most))
//
// where the last two arguments of the entry function are the caller's
// parallel_for and what it is given. Memory was planned for the most parts, so
// more than these do nothing.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Dispatch.h"
#include "tally/cpu/MostParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace tally::cpu;

namespace {
class Dispatcher {
public:
  Dispatcher(Module &module, const CpuOptions &options)
      : module(module), options(options), b(module.getContext()) {
    Type *pointer = b.getPtrTy();
    each = module.getOrInsertFunction(options.symbol + "_each", b.getVoidTy(),
                                      pointer, pointer, pointer, pointer);
  }

  void replace(CallInst &call);

private:
  Function *taskOf(Function &kernel);
  Value *frameOf(Function &entry, size_t pointers);
  /// Pointers of a kernel's frame: all arguments but part and parts.
  static size_t pointersOf(const Function &kernel) {
    return kernel.arg_size() - 2;
  }

  Module &module;
  const CpuOptions &options;
  IRBuilder<> b;
  FunctionCallee each;
  DenseMap<Function *, Function *> tasks;
  DenseMap<Function *, AllocaInst *> frames; ///< one for all calls of an entry
};
} // namespace

/// The entry's frame, with room for as many pointers.
Value *Dispatcher::frameOf(Function &entry, size_t pointers) {
  AllocaInst *&frame = frames[&entry];
  if (!frame) {
    b.SetInsertPoint(entry.getEntryBlock().begin());
    frame = b.CreateAlloca(b.getPtrTy(), b.getInt32(0), "frame");
  }
  uint64_t room = cast<ConstantInt>(frame->getArraySize())->getZExtValue();
  if (room < pointers)
    frame->setOperand(0, b.getInt32(static_cast<uint32_t>(pointers)));
  return frame;
}

Function *Dispatcher::taskOf(Function &kernel) {
  Function *&task = tasks[&kernel];
  if (task)
    return task;
  auto *type = FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()}, false);
  task = Function::Create(type, GlobalValue::InternalLinkage,
                          kernel.getName() + "_task", module);
  auto *entry = BasicBlock::Create(b.getContext(), "", task);
  auto *work = BasicBlock::Create(b.getContext(), "", task);
  auto *done = BasicBlock::Create(b.getContext(), "", task);
  b.SetInsertPoint(entry);
  Value *most = b.getInt32(static_cast<uint32_t>(mostParts(options)));
  Value *parts =
      b.CreateBinaryIntrinsic(Intrinsic::umin, task->getArg(2), most);
  b.CreateCondBr(b.CreateICmpULT(task->getArg(1), parts), work, done);
  b.SetInsertPoint(work);
  SmallVector<Value *> arguments;
  for (size_t i = 0; i < pointersOf(kernel); ++i)
    arguments.push_back(b.CreateLoad(
        b.getPtrTy(),
        b.CreateConstInBoundsGEP1_64(b.getPtrTy(), task->getArg(0), i)));
  for (Value *number : {static_cast<Value *>(task->getArg(1)), parts})
    arguments.push_back(b.CreateZExt(number, b.getInt64Ty()));
  b.CreateCall(&kernel, arguments);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return task;
}

void Dispatcher::replace(CallInst &call) {
  Function &entry = *call.getFunction(), &kernel = *call.getCalledFunction();
  size_t pointers = pointersOf(kernel);
  Value *frame = frameOf(entry, pointers);
  Function *task = taskOf(kernel);
  b.SetInsertPoint(&call);
  for (size_t i = 0; i < pointers; ++i)
    b.CreateStore(call.getArgOperand(i),
                  b.CreateConstInBoundsGEP1_64(b.getPtrTy(), frame, i));
  Value *parallelFor = entry.getArg(entry.arg_size() - 2);
  Value *user = entry.getArg(entry.arg_size() - 1);
  b.CreateCall(each, {parallelFor, user, task, frame});
  call.eraseFromParent();
}

void tally::cpu::dispatchSteps(Module &module, const StringSet<> &splitKernels,
                               const CpuOptions &options) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction())
          if (splitKernels.contains(callee->getName()))
            calls.push_back(call);
  if (calls.empty())
    return;
  Dispatcher dispatcher(module, options);
  for (CallInst *call : calls)
    dispatcher.replace(*call);
}
