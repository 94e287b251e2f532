//===- Storage.h - where each tensor of a graph lives -----------*- C++ -*-===//
//
// Every tensor is in the caller's input or output buffer, in constant data, or
// in the arena. Views share the storage of what they view. A tensor that an
// output returns is computed straight into the caller's buffer when it can be;
// one that several return, new values of states among them, is stored by its
// kernel to all of them when the kernel can.
//
// Outputs that are inputs are copied before the first kernel runs: an old value
// of a state may be overwritten later.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_STORAGE_H
#define TALLY_CPU_STORAGE_H

#include "tally/plan/memory/Problem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace tally::cpu {

/// Whether `op` only renames the bytes of its operand, or is a Dequantize whose
/// readers take the codes (CodeReaders.h).
bool isAlias(mlir::Operation *op);
/// The tensor that owns the bytes of `value`.
mlir::Value rootOf(mlir::Value value);

/// Of every tensor in the arena, and of the arena itself, in bytes.
inline constexpr int64_t kArenaAlignment = 64;

enum class StorageKind { Input, Output, Constant, Arena };

struct Storage {
  StorageKind kind = StorageKind::Arena;
  int64_t index = 0; ///< of the input, output or arena storage
};

struct StorageMap {
  llvm::MapVector<mlir::Value, Storage> roots;
  /// Outputs that need a copy: result index and its source.
  std::vector<std::pair<int64_t, mlir::Value>> copies;
  /// Outputs that the kernel of an operation stores its result to as well.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> alsoStored;
  /// Arguments whose memory is that of a result: a state in place.
  llvm::DenseMap<unsigned, int64_t> resultInPlaceOf;
  /// The arena's tensors, then those of `addScratch`.
  plan::memory::MemoryProblem problem;

  Storage of(mlir::Value value) const { return roots.lookup(rootOf(value)); }
  /// The outputs that the kernel of `op` stores its result to; the first is
  /// the result's own storage.
  llvm::SmallVector<int64_t> destinations(mlir::Operation *op) const;
  /// Of each operand by position: which of `destinations` has its memory.
  llvm::SmallVector<std::optional<size_t>>
  sharedDestinations(mlir::Operation *op) const;
  /// A storage used only by the operation at position `time`.
  size_t addScratch(int64_t bytes, int64_t time, const std::string &name);
};

/// Position of each operation, from 0.
llvm::DenseMap<mlir::Operation *, int64_t>
operationTimes(mlir::func::FuncOp function);

StorageMap assignStorage(mlir::func::FuncOp function);

/// Bytes of a tensor in memory.
int64_t storageBytes(mlir::Value value);

} // namespace tally::cpu

#endif // TALLY_CPU_STORAGE_H
