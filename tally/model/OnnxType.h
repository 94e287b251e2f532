//===- OnnxType.h - ONNX value types to ValueInfo ---------------*- C++ -*-===//

#ifndef TALLY_MODEL_ONNXTYPE_H
#define TALLY_MODEL_ONNXTYPE_H

#include "tally/model/Model.h"
#include "tally/model/onnx.pb.h"
#include "tally/support/Result.h"

namespace tally::model {

/// The type, with an empty name. A type that is not set gives a tensor whose
/// element type and rank are unknown. `value` is what failures are about.
Result<ValueInfo> readType(const onnx::TypeProto &proto,
                           std::string_view value);

} // namespace tally::model

#endif // TALLY_MODEL_ONNXTYPE_H
