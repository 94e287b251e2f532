//===- Facts.h - whose bytes the storages of a program are ------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_FACTS_H
#define TALLY_SCHEDULE_FACTS_H

#include "tally/schedule/Addresses.h"

namespace tally::schedule {

/// The model's node that an operation is for; empty where inputs and outputs
/// are moved.
std::string modelNode(mlir::Operation *op);

/// What `commands`, in the order of issue, do with each of `storages`.
std::vector<StorageFacts> factsOf(llvm::ArrayRef<npu::StorageOp> storages,
                                  llvm::ArrayRef<npu::CommandOp> commands,
                                  const machine::Machine &machine);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_FACTS_H
