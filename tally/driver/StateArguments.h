//===- StateArguments.h - states named on the command line ------*- C++ -*-===//
//
//   --state OUT=IN         output OUT of a call is input IN of the next; real 0
//                          before the first
//   --state OUT=IN:zero    the same
//   --state OUT=IN:NUMBER  every element of the input is NUMBER
//   --state OUT=IN:@FILE   the array of FILE.npy or FILE.npz
//   --state OUT=IN:input   the caller gives it before the first call
//   --state OUT=IN:append  OUT is IN with rows behind it: a cache of as many
//                          rows as OUT has, none at first
//   --state OUT=IN:slide   the same, but it holds the last rows, as many as IN
//   --state proposed       every pair of rewrite::proposedStates, from 0; with
//                          :append or :slide those that grow, too
//   --keep-output OUT,...  these stay outputs, too
//
// A name may hold ':': what follows is an INIT only when the whole is no input.
//
// Rules: CLI-3, those of rewrite/state/Declare.h, CacheRows.h and
// tensors/InputFiles.h;
//   STATE-8  an element of the type is the number given (Usage)
//   STATE-12 --state proposed finds a pair (Usage)
//   STATE-9  --keep-output names outputs that become states (Usage)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_STATEARGUMENTS_H
#define TALLY_DRIVER_STATEARGUMENTS_H

#include "tally/driver/CacheRows.h"

namespace tally {

/// Makes the states that `model` asks for in the graph of its import.
Status declareStates(mlir::ModuleOp module, const ModelArguments &model,
                     const Import &import);

} // namespace tally

#endif // TALLY_DRIVER_STATEARGUMENTS_H
