//===- ModelTensor.h - tensors of a model as host tensors -------*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_MODELTENSOR_H
#define TALLY_GRAPH_IMPORT_MODELTENSOR_H

#include "tally/eval/Tensor.h"
#include "tally/model/Model.h"

namespace tally::nn {

/// The executors' element for a model's element type, or nothing when there is
/// none. Elements below 8 bits are held one per byte.
std::optional<eval::Element> elementOfModel(model::ElementType type);

/// A constant of the model. It shares the model's bytes (and keeps them
/// alive) unless they are packed below 8 bits. Nothing when no executor
/// handles its type.
std::optional<eval::Tensor> sharedTensor(const model::TensorData &data);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_MODELTENSOR_H
