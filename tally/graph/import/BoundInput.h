//===- BoundInput.h - an input whose value is known -------------*- C++ -*-===//

#ifndef TALLY_GRAPH_IMPORT_BOUNDINPUT_H
#define TALLY_GRAPH_IMPORT_BOUNDINPUT_H

#include "tally/eval/Tensor.h"
#include "tally/model/Model.h"
#include "tally/support/Result.h"

namespace tally::nn {

/// `input` as a constant: `like` gives shape and element type, `text` the
/// numbers in row-major order with commas between ("16000", "true", "0.5,1").
/// IMP-12 when these are not one number of the type for each element.
Result<eval::Tensor> boundTensor(const model::ValueInfo &input,
                                 const eval::Tensor &like,
                                 const std::string &text);

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_BOUNDINPUT_H
