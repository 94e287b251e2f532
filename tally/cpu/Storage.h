//===- Storage.h - where each tensor of a graph lives -----------*- C++ -*-===//
//
// Every tensor is in the caller's input or output buffer, in constant data, or
// in the arena. Views share the storage of what they view, and parts (Parts.h)
// have a range of it. A tensor that an output returns is computed straight into
// the caller's buffer when it can be; one that several return, new values of
// states among them, is stored by its kernel to all of them when the kernel
// can.
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

class Layouts;

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
  int64_t index = 0;  ///< of the input, output or arena storage
  int64_t offset = 0; ///< bytes from its beginning
  bool operator==(const Storage &) const = default;
};

/// Where in the memory of `whole` a tensor lies.
struct Part {
  mlir::Value whole;
  int64_t offset = 0; ///< in bytes
};

struct StorageMap {
  /// By the tensor that owns the bytes; those of `parts` have no entry.
  llvm::MapVector<mlir::Value, Storage> roots;
  llvm::MapVector<mlir::Value, Part> parts;
  /// Of each concatenation with parts: the operands, by position, that are
  /// none; its kernel copies them.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<size_t>> copied;
  /// Outputs that need a copy: result index and its source.
  std::vector<std::pair<int64_t, mlir::Value>> copies;
  /// Where in outputs the kernel of an operation stores its result as well.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Storage>> alsoStored;
  /// Arguments whose memory is that of a result: a state in place.
  llvm::DenseMap<unsigned, int64_t> resultInPlaceOf;
  /// The arena's tensors, then those of `addScratch`.
  plan::memory::MemoryProblem problem;

  /// The tensor that owns the bytes of `value`, of which it may be a part.
  mlir::Value ownerOf(mlir::Value value) const;
  Storage of(mlir::Value value) const;
  /// Whether something is left to do for `op`: it is no view, constant or
  /// slice that is a part, no concatenation of nothing but parts, and has
  /// elements.
  bool needsKernel(mlir::Operation *op) const;
  /// The outputs that the kernel of `op` stores its result to; the first is
  /// the result's own storage.
  llvm::SmallVector<Storage> destinations(mlir::Operation *op) const;
  /// Of each operand by position: which of `destinations` has its memory.
  llvm::SmallVector<std::optional<size_t>>
  sharedDestinations(mlir::Operation *op) const;
  /// A storage used only by the operation at position `time`.
  size_t addScratch(int64_t bytes, int64_t time, const std::string &name);
};

/// Position of each operation, from 0.
llvm::DenseMap<mlir::Operation *, int64_t>
operationTimes(mlir::func::FuncOp function);

/// The steps from the one that makes `root` to the last that reads its bytes,
/// through any view; the end of the function reads what it returns.
plan::memory::Interval
lifeOf(mlir::Value root,
       const llvm::DenseMap<mlir::Operation *, int64_t> &times);

/// Whether the kernel of `op` stores each element of its only result at one
/// place of its code, where it can store it several times.
bool storesAnywhere(mlir::Operation *op);

/// Decides where tensors live, with remarks for what is copied.
StorageMap assignStorage(mlir::func::FuncOp function, const Layouts &layouts);

/// The name of a tensor in the model, or of the node that makes it.
std::string bufferName(mlir::Value value);

/// Bytes of a tensor in memory.
int64_t storageBytes(mlir::Value value);

} // namespace tally::cpu

#endif // TALLY_CPU_STORAGE_H
