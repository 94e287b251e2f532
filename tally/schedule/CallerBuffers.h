//===- CallerBuffers.h - inputs, outputs and states -------------*- C++ -*-===//
//
// The ends of a schedule: regions of global memory for the arguments and
// results of `main` (Regions.h), what is loaded from them at first and stored
// to them at last.
//
// A state in place has one region for its old and its new value. The schedule
// reads the old value before it writes the new one over it: what is stored at
// last comes behind everything, and a node may store its result there piece by
// piece only where no other reads the old value afterwards. Synchronization
// keeps that order in every execution, as both are bytes of one storage
// (Order.cpp); tally check proves it of the program (CHK-19).
//
// A ring's region is what one call sees of the memory that the value slides
// along: the frames of the old value, and what enters behind or before them.
// The operator that moves it on (lower/ShiftIn) stores that. So does the
// scatter of a cache store its rows (lower/ScatterNd), whose place a counter
// chooses; the region is all of the state.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_CALLERBUFFERS_H
#define TALLY_SCHEDULE_CALLERBUFFERS_H

#include "tally/schedule/Regions.h"
#include "tally/schedule/lower/Chains.h"

namespace tally::schedule {

/// Attribute (a text) of the storage of a state's region: why its new value is
/// copied there from other global memory.
inline constexpr llvm::StringLiteral kCopied = "npu.copied";

/// Attribute (DenseI64ArrayAttr) of the storage of a state's region in which
/// rows are written at a counter: its number; runs of the state, and bytes from
/// one to the next; bytes that each unit of the counter moves by, and bytes
/// written, in each run.
inline constexpr llvm::StringLiteral kRows = "npu.rows";

class CallerBuffers {
public:
  /// Both outlive it.
  CallerBuffers(Scheduler &s, mlir::func::FuncOp function);

  /// NPU-10 where there are more than a program can have.
  Status check() const;
  /// Values for the arguments: in SRAM, or where the caller has them. Arguments
  /// that are results as they are, are stored.
  Status bindArguments();
  /// The regions of results, straight to which operators may store.
  Status bindResults();
  /// Before `op` is lowered, alone or at the end of `chain`: its result may go
  /// straight over a state's old value if nobody reads that later, and the
  /// pieces of what several results want to all of them.
  void permit(mlir::Operation *op, llvm::ArrayRef<PiecewiseNode> chain);
  /// All results that are not where they belong.
  Status storeResults();

private:
  struct Buffer {
    mlir::Value value;            ///< the terminator's operand
    Tensor home;                  ///< where the caller wants it
    std::optional<unsigned> over; ///< the argument whose memory it is
    bool isStored = false;
  };
  Status bindArgument(mlir::BlockArgument argument);
  Result<Tensor> regionOf(mlir::BlockArgument argument);
  Status bindResult(unsigned i);
  Status bindRing(unsigned i, Buffer &buffer);
  Status bindCache(const Buffer &buffer);
  Status store(Buffer &buffer);
  void markCopied(const Buffer &buffer);
  bool isWaitedFor(const Buffer &buffer) const;
  bool isStoredByOperator(const Buffer &buffer) const;
  bool mayWrite(const Buffer &buffer, llvm::ArrayRef<mlir::Operation *> now);
  void shareStores(mlir::Value value, llvm::ArrayRef<mlir::Operation *> now);
  mlir::OperandRange results();

  Scheduler &s;
  mlir::func::FuncOp function;
  Regions regions;
  llvm::SmallVector<mlir::Value> storages; ///< of arguments
  llvm::SmallVector<Buffer> buffers;       ///< of results
};

/// Whether an operator that has yet to be lowered reads bytes of `value`,
/// itself or a view. Those of `now` may read it as it is.
bool isReadLater(const Scheduler &s, mlir::Value value,
                 llvm::ArrayRef<mlir::Operation *> now);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_CALLERBUFFERS_H
