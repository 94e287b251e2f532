//===- StateFiles.h - saved states as files ---------------------*- C++ -*-===//
//
// Rules RUN-21: what is saved or restored has states (Usage); RUN-1: what is
// given is an input (Usage). Otherwise those of
// runtime/SavedStates.h, support/ReadFile.h and support/AtomicFile.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_TENSORS_STATEFILES_H
#define TALLY_DRIVER_TENSORS_STATEFILES_H

#include "tally/runtime/SavedStates.h"

namespace tally {

/// The states that a model has, and the hash by which its saved ones are known.
struct StatesAbout {
  std::vector<runtime::TensorInterface> tensors;
  uint64_t hash = 0;
};

/// RUN-21; `option` is named in it.
Status checkHasStates(const StatesAbout &about, const std::string &option);

/// RUN-1: no --input of `arguments` names a state that is not one of `inputs`,
/// as those are whose first value the caller gives.
Status checkGivesNoState(const std::vector<std::string> &arguments,
                         const std::vector<runtime::TensorInterface> &inputs,
                         const StatesAbout &about);

/// The values that `path` holds.
Result<runtime::NamedTensors> readStates(const std::string &path,
                                         const StatesAbout &about);

/// Writes `values` to `path`, completely or not at all.
Status writeStates(const std::string &path, const StatesAbout &about,
                   const runtime::NamedTensors &values);

} // namespace tally

#endif // TALLY_DRIVER_TENSORS_STATEFILES_H
