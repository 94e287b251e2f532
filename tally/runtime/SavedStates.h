//===- SavedStates.h - values of states outside a context -------*- C++ -*-===//
//
// States as bytes that every executor of the model reads: the evaluator, native
// code and the simulator, in any process and with any policy.
// docs/formats/states.md gives the layout.
//
// Rules:
//   SAVE-1  the bytes begin like saved states (Model)
//   SAVE-2  they are of this version (Unsupported)
//   SAVE-3  they are complete and undamaged (Model)
//   SAVE-4  they were saved by this model with these states (Usage)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_SAVEDSTATES_H
#define TALLY_RUNTIME_SAVEDSTATES_H

#include "tally/runtime/Interface.h"

#include <map>
#include <span>

namespace tally::runtime {

using NamedTensors = std::map<std::string, eval::Tensor>;

/// How many bytes `saveStates` gives.
int64_t savedBytes(const std::vector<TensorInterface> &states);

/// The values of `states`; one that has none may be missing. `hash` is that of
/// the model (Interface::stateHash).
std::string saveStates(const std::vector<TensorInterface> &states,
                       uint64_t hash, const NamedTensors &values);

/// And back. Any bytes may be given. SAVE-1 to SAVE-4.
Result<NamedTensors> loadStates(std::span<const uint8_t> bytes,
                                const std::vector<TensorInterface> &states,
                                uint64_t hash);

/// The tensors of an interface's states.
std::vector<TensorInterface> stateTensors(const Interface &interface);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_SAVEDSTATES_H
