//===- InputFiles.h - tensors for a run, from the command line --*- C++ -*-===//
//
// An input argument is one of
//
//   NAME=FILE.npy                 the array
//   NAME=FILE.npz                 the archive's array NAME, or its only one
//   FILE.npz                      every array, each for the input of its name
//   NAME=random:SEED              data of RandomTensor.h
//   NAME=random:SEED:LOW..HIGH    the same within a range
//
// Rules (FailureKind::Usage unless a file itself is at fault):
//   RUN-1  an argument has one of these forms and names an input of the model
//          or an array of the archive
//   RUN-2  an array has the element type of its input
//   RUN-3  an array has the shape of its input; for several steps, with one
//          index per step in front or the same for all
//   RUN-4  every input is given, and given once
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TENSORS_INPUTFILES_H
#define TALLY_DRIVER_TENSORS_INPUTFILES_H

#include "tally/runtime/Interface.h"

namespace tally {

/// The tensors for `inputs`, in their order. `random`, when given, seeds the
/// inputs that no argument names. With `steps`, what is made up has the data of
/// all steps, with the step as its first index; an array may have.
Result<std::vector<eval::Tensor>>
readInputs(const std::vector<runtime::TensorInterface> &inputs,
           const std::vector<std::string> &arguments,
           std::optional<uint64_t> random,
           std::optional<int64_t> steps = std::nullopt);

/// `tensors` of readInputs as they are in one step: without the steps' index.
std::vector<eval::Tensor>
inputsOfStep(const std::vector<runtime::TensorInterface> &inputs,
             const std::vector<eval::Tensor> &tensors, int64_t step);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_INPUTFILES_H
