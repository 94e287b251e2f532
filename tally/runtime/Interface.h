//===- Interface.h - what a compiled model tells about itself ---*- C++ -*-===//
//
// The self-description that every artifact carries, as JSON text: its inputs
// and outputs, what memory it needs, which numerics it follows, what it was
// made of. Readers accept the versions up to their own: what has states is
// version 2, all else version 1.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_INTERFACE_H
#define TALLY_RUNTIME_INTERFACE_H

#include "tally/eval/Tensor.h"
#include "tally/support/Result.h"

namespace tally::runtime {

inline constexpr int kInterfaceVersion = 2;
/// Threads that an artifact can be made for.
inline constexpr int64_t kMostThreads = 256;

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

/// How a state's new value gets to where the next call reads the old one.
enum class StatePolicy {
  Flip,     ///< written into a second slot; the two change places
  InPlace,  ///< written over the old value
  Ring,     ///< the value moves along its slot; only what enters is written
  Keep,     ///< never changes
  Exchange, ///< becomes another state's old value, whose slot it takes
};
const char *policyName(StatePolicy policy); ///< "flip", "in place", ...

/// A tensor that is kept from call to call. Each context of a program has a
/// block with slots for all states (StateLayout.h). `slots` numbers name an
/// entry of the block's list of slots, which says where the value is now; what
/// a call changes about the list is Interface::commit.
///
/// SYMBOL_run takes the old values of all states with `isRead` behind its
/// inputs, in order, and the memory for the new values of all with `isWritten`
/// behind its outputs.
struct StateInterface {
  TensorInterface tensor; ///< by the state's name
  StatePolicy policy = StatePolicy::Flip;
  int64_t current = 0; ///< entry of the slot with the old value
  int64_t next = 0;    ///< entry of the slot for the new one; may be `current`
  bool isRead = false, isWritten = false;
  /// Ring, in bytes: the new value begins `advance` behind the old one, the
  /// memory that a call writes to `target` behind it. When the end of what a
  /// call touches (`extent`) would leave the slot, the value moves to the
  /// slot's beginning. It is `rows` equal parts, each `pitch` behind the last.
  int64_t advance = 0, target = 0, extent = 0, rows = 1, pitch = 0;
  /// The value before the first call, as bytes; nothing: the caller gives it.
  std::optional<std::string> initial;
  int64_t writtenBytes = 0; ///< by each call, into the slot
  int64_t copiedBytes = 0;  ///< of them, copied from where they were computed
  std::string reason;       ///< of the copies, or of the policy; may be empty
  /// Of one i64 with which a call begins at 0 to `most` only: how many rows of
  /// a cache leave room for those of the call.
  std::optional<int64_t> most;

  int64_t rowBytes() const { return tensor.byteCount() / rows; }
  /// From the value's beginning to what a call touches last.
  int64_t touchedBytes() const { return extent ? extent : tensor.byteCount(); }

  /// Whether a call that fails may leave the old value damaged.
  bool isOverwritten() const {
    return policy == StatePolicy::InPlace || policy == StatePolicy::Ring;
  }
  bool operator==(const StateInterface &) const = default;
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
  /// What a program without states is readable as.
  int version() const { return states.empty() ? 1 : 2; }
  std::string producer; ///< "tally 0.1.0"
  std::string symbol;   ///< prefix of the exported C names
  std::string model;    ///< file name of the model, without folders
  std::string numerics; ///< "ideal", "onnxruntime", "tflite"
  std::string target;   ///< "x86_64-linux-gnu"
  std::vector<std::string> tiers;
  /// Code of those that need more than avx2 is made of avx2's instructions.
  bool emulated = false;
  std::vector<TensorInterface> inputs, outputs;
  int64_t arenaBytes = 0;
  int64_t arenaAlignment = 64; ///< of the arena pointer
  int64_t constBytes = 0;
  bool staticArena = false;
  /// 1 ... kMostThreads: the most threads that work on one run; with more than
  /// one the artifact exports SYMBOL_run_parallel as well.
  int64_t threads = 1;
  int64_t selfTestBytes = 0; ///< workspace of the self-test; 0: there is none
  std::vector<StageInterface> stages;
  std::vector<PeakTensor> peak; ///< largest first
  std::vector<StateInterface> states;
  std::vector<int64_t> slotBytes; ///< of the slots that entries begin with
  /// After a call, entry i names the slot that entry commit[i] did.
  std::vector<int64_t> commit;
  uint64_t stateHash = 0; ///< of the model and its states; 0 without states

  /// Lengths of the lists that SYMBOL_run takes, states included.
  size_t inputPointers() const;
  size_t outputPointers() const;
  bool operator==(const Interface &) const = default;
};

/// The JSON text, with keys in a fixed order, and back. Any text may be given.
/// Rules: IFC-1 malformed text, or numbers out of range, IFC-2 another format
/// version, IFC-3 states whose slots do not exist or do not fit.
std::string toJson(const Interface &interface);
Result<Interface> interfaceFromJson(std::string_view text);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_INTERFACE_H
