//===- Interface.h - what a compiled model tells about itself ---*- C++ -*-===//
//
// The self-description that every artifact carries, as JSON text: its inputs
// and outputs, what memory it needs, which numerics it follows, what it was
// made of. Readers accept the same major format version only.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_INTERFACE_H
#define TALLY_RUNTIME_INTERFACE_H

#include "tally/eval/Tensor.h"
#include "tally/support/Result.h"

namespace llvm::json {
class OStream;
class Path;
class Value;
} // namespace llvm::json

namespace tally::runtime {

inline constexpr int kInterfaceVersion = 1;

/// One input or output: dense, row-major, `bytes` long. Codes are stored one
/// per 8-, 16- or 32-bit integer; a grid says what they mean.
struct TensorInterface {
  std::string name; ///< the model's own name
  eval::Element element = eval::Element::F32;
  eval::Shape shape;
  std::optional<eval::Quantization> quant;

  int64_t byteCount() const {
    return eval::elementCount(shape) * eval::byteSize(element);
  }
  bool operator==(const TensorInterface &) const = default;
};

/// One stage of the program, for reports: a node of the model after rewrites.
struct StageInterface {
  std::string node;   ///< the model's name
  std::string op;     ///< nn operator, such as "conv"
  std::string result; ///< shape and type as text
  int64_t macs = 0;
  int64_t constantBytes = 0;
  bool isFloat = false;
  std::string reason; ///< why it is float in a quantized model; may be empty
  bool operator==(const StageInterface &) const = default;
};

/// A tensor alive at the arena's peak.
struct PeakTensor {
  std::string name;
  int64_t bytes = 0;
  bool operator==(const PeakTensor &) const = default;
};

struct Interface {
  int version = kInterfaceVersion;
  std::string producer; ///< "tally 0.1.0"
  std::string symbol;   ///< prefix of the exported C names
  std::string model;    ///< file name of the model, without folders
  std::string numerics; ///< "ideal", "onnxruntime", "tflite"
  std::string target;   ///< "x86_64-linux-gnu"
  std::vector<std::string> tiers;
  std::vector<TensorInterface> inputs, outputs;
  int64_t arenaBytes = 0;
  int64_t arenaAlignment = 64; ///< of the arena pointer
  int64_t constBytes = 0;
  bool staticArena = false;
  int64_t selfTestBytes = 0; ///< workspace of the self-test; 0: there is none
  std::vector<StageInterface> stages;
  std::vector<PeakTensor> peak; ///< largest first
  bool operator==(const Interface &) const = default;
};

/// The JSON text, with keys in a fixed order, and back. Any text may be given.
/// Rules: IFC-1 malformed text, IFC-2 another format version.
std::string toJson(const Interface &interface);
Result<Interface> interfaceFromJson(std::string_view text);

/// One tensor, for other formats that hold some; found by argument-dependent
/// lookup of llvm::json::ObjectMapper.
void writeTensor(llvm::json::OStream &os, const TensorInterface &tensor);
bool fromJSON(const llvm::json::Value &value, TensorInterface &tensor,
              llvm::json::Path path);

/// Whether brackets nest deeper than any description's: the JSON parser, which
/// calls itself for each, would run out of stack.
bool nestsTooDeep(std::string_view text);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_INTERFACE_H
