//===- Segmenter.h - programs with segments on the host ---------*- C++ -*-===//
//
// tally compile --fallback=cpu: a model that the machine cannot run alone
// becomes programs of the machine and native code between them.
//
// Who runs a node is for the machine's own lowering to say: there is no second
// list of what it can do. Every node is lowered alone; those that are refused
// are the host's, and the rest is cut into segments (schedule/Partition.h).
// Each segment of the machine is then made and proved as a whole program would
// be. One that is refused gives the node that is named to the host, or is cut
// in two where none is named (memory, buffers), until all hold. Native code is
// made last; what the CPU cannot run either stays an error.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_FALLBACK_SEGMENTER_H
#define TALLY_DRIVER_FALLBACK_SEGMENTER_H

#include "tally/driver/NpuArguments.h"
#include "tally/emit/program/Program.h"
#include "tally/runtime/SegmentFile.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace tally {

/// What a machine says to a module with a function `main`. Failures that
/// isRefusal() tell what it cannot do; others end the compilation.
struct MachineJudge {
  std::string target; ///< the machine's name
  /// Whether there are commands for a node alone.
  std::function<Status(mlir::ModuleOp)> lower;
  /// The program of a segment, proved.
  std::function<Result<isa::Program>(mlir::ModuleOp)> compile;
  /// Whether cheap nodes at borders are the host's (PART-1, PART-2).
  bool weighsBorders = true;
};

/// The lowering, planners and checker for what is asked, which must outlive the
/// result. Options hold for each program.
MachineJudge judgeOf(const NpuArguments &asked);

/// The segments of a rewritten and fused `module`, compiled; its states get
/// places where the new value is beside the old one; `model` is the
/// file's name and `symbol` what the C names of native code begin with. Remarks
/// (PLACE-n) tell the same of the nodes.
Result<runtime::SegmentFile> makeSegments(mlir::ModuleOp module,
                                          const MachineJudge &judge,
                                          const std::string &model,
                                          const std::string &symbol);

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_SEGMENTER_H
