//===- OnnxTensor.h - TensorProto to TensorData -----------------*- C++ -*-===//

#ifndef TALLY_MODEL_ONNXTENSOR_H
#define TALLY_MODEL_ONNXTENSOR_H

#include "tally/model/ExternalFiles.h"
#include "tally/model/Model.h"
#include "tally/model/onnx.pb.h"

#include <unordered_map>

namespace tally::model {

/// Turns tensors of one model into shared, packed bytes, each only once: a
/// tensor in the body of a function is asked for at every call.
class TensorReader {
public:
  explicit TensorReader(ExternalFiles &files) : files(files) {}

  /// Takes the data out of `proto` (raw bytes move, typed numbers are packed
  /// and then freed); `proto` must stay where it is as long as the reader
  /// lives. The result has no name. `node` is what failures are about.
  Result<TensorData> read(onnx::TensorProto &proto, std::string_view node);

private:
  Result<TensorData> readNew(onnx::TensorProto &proto, std::string_view node);
  Result<SharedBytes> readExternal(const onnx::TensorProto &proto,
                                   int64_t length, std::string_view node);

  ExternalFiles &files;
  std::unordered_map<const onnx::TensorProto *, TensorData> known;
};

} // namespace tally::model

#endif // TALLY_MODEL_ONNXTENSOR_H
