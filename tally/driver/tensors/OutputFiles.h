//===- OutputFiles.h - where a run's results go -----------------*- C++ -*-===//

#ifndef TALLY_DRIVER_TENSORS_OUTPUTFILES_H
#define TALLY_DRIVER_TENSORS_OUTPUTFILES_H

#include "tally/runtime/Interface.h"

namespace tally {

/// One file name per output: "NAME.npy" with every character that is not in
/// [A-Za-z0-9._-] replaced by '_' (and a leading dot as well). A name that is
/// taken already gets "-2", "-3", ... before ".npy".
std::vector<std::string>
outputFileNames(const std::vector<runtime::TensorInterface> &outputs);

/// Makes `folder` (FILE-OUT-1 when that fails) and writes the tensors there,
/// each file completely or not at all. Returns the paths.
Result<std::vector<std::string>>
writeOutputs(const std::string &folder,
             const std::vector<runtime::TensorInterface> &outputs,
             const std::vector<eval::Tensor> &tensors);

/// makes `folder` and its parents; FailureKind::System, FILE-OUT-1.
Status makeFolder(const std::string &folder);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_OUTPUTFILES_H
