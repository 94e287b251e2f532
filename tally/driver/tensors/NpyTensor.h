//===- NpyTensor.h - host tensors as NumPy arrays ---------------*- C++ -*-===//
//
// Codes travel as the integers that store them. NumPy has no bfloat16: such a
// tensor travels as the uint16 of its bits.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TENSORS_NPYTENSOR_H
#define TALLY_DRIVER_TENSORS_NPYTENSOR_H

#include "tally/eval/Tensor.h"
#include "tally/support/Npy.h"

namespace tally {

/// The array type that carries an element.
NpyType npyTypeOf(eval::Element element);

/// A copy of the tensor's elements.
NpyArray toNpy(const eval::Tensor &tensor);

/// A copy of the array's elements as a tensor of `element`, whose npyTypeOf
/// must be the array's type.
eval::Tensor fromNpy(const NpyArray &array, eval::Element element);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_NPYTENSOR_H
