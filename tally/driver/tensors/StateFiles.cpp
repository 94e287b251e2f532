//===- StateFiles.cpp - saved states as files -----------------------------===//

#include "tally/driver/tensors/StateFiles.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

#include <algorithm>

using namespace tally;
using runtime::NamedTensors;

Status tally::checkHasStates(const StatesAbout &about,
                             const std::string &option) {
  if (!about.tensors.empty())
    return Status::success();
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = "RUN-21";
  failure.message = option + ": the model has no states";
  failure.hint = "declare them with --state OUT=IN";
  return failure;
}

Status
tally::checkGivesNoState(const std::vector<std::string> &arguments,
                         const std::vector<runtime::TensorInterface> &inputs,
                         const StatesAbout &about) {
  for (const runtime::TensorInterface &state : about.tensors) {
    bool isInput = std::ranges::any_of(
        inputs, [&](const auto &input) { return input.name == state.name; });
    bool isGiven = std::ranges::any_of(arguments, [&](const std::string &text) {
      return text.starts_with(state.name + "=");
    });
    if (isInput || !isGiven)
      continue;
    tally::Diagnostic failure;
    failure.kind = FailureKind::Usage;
    failure.rule = "RUN-1";
    failure.message =
        "'" + state.name + "' is a state: the first value is not an input";
    failure.hint = "declare it with --state OUT=" + state.name +
                   ":input, or go on with --state-in FILE";
    return failure;
  }
  return Status::success();
}

Result<NamedTensors> tally::readStates(const std::string &path,
                                       const StatesAbout &about) {
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  auto values = runtime::loadStates(*bytes, about.tensors, about.hash);
  if (values)
    return values;
  tally::Diagnostic failure = values.takeError();
  failure.file = path;
  return failure;
}

Status tally::writeStates(const std::string &path, const StatesAbout &about,
                          const NamedTensors &values) {
  auto file = AtomicFile::create(path);
  if (!file)
    return file.takeError();
  std::string text = runtime::saveStates(about.tensors, about.hash, values);
  if (Status status = file->append(text); !status)
    return status;
  return file->commit();
}
