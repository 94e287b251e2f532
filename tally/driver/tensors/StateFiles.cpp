//===- StateFiles.cpp - saved states as files -----------------------------===//

#include "tally/driver/tensors/StateFiles.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"

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
