//===- OpsText.h - the operators' documentation, built in -------*- C++ -*-===//

#ifndef TALLY_DRIVER_OPSTEXT_H
#define TALLY_DRIVER_OPSTEXT_H

namespace tally {

/// What mlir-tblgen -gen-op-doc makes of ops/Ops.td.
extern const char kOpsText[];

} // namespace tally

#endif // TALLY_DRIVER_OPSTEXT_H
