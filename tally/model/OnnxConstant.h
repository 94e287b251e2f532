//===- OnnxConstant.h - the value of a Constant node ------------*- C++ -*-===//

#ifndef TALLY_MODEL_ONNXCONSTANT_H
#define TALLY_MODEL_ONNXCONSTANT_H

#include "tally/model/Model.h"
#include "tally/support/Result.h"

namespace tally::model {

/// The value of a Constant node, under the name of its output. Fails with
/// ConstantForm, or with TensorString for text.
Result<TensorData> constantValue(Node node);

} // namespace tally::model

#endif // TALLY_MODEL_ONNXCONSTANT_H
