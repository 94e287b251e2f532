//===- GraphInterface.h - what an imported graph has ------------*- C++ -*-===//

#ifndef TALLY_DRIVER_GRAPHINTERFACE_H
#define TALLY_DRIVER_GRAPHINTERFACE_H

#include "tally/driver/tensors/StateFiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally {

/// The arguments of `function` by their names in the model.
std::vector<runtime::TensorInterface>
inputInterface(mlir::func::FuncOp function);

/// The results likewise.
std::vector<runtime::TensorInterface>
outputInterface(mlir::func::FuncOp function);

/// All states, and the hash of the graph they are of, which its import noted.
StatesAbout statesAbout(mlir::func::FuncOp function);

/// The states that begin with a value of the caller's.
std::vector<runtime::TensorInterface>
givenStateInterface(mlir::func::FuncOp function);

} // namespace tally

#endif // TALLY_DRIVER_GRAPHINTERFACE_H
