//===- OutputFiles.cpp - where a run's results go -------------------------===//

#include "tally/driver/tensors/OutputFiles.h"
#include "tally/driver/tensors/NpyTensor.h"

#include "llvm/ADT/StringExtras.h"

#include <filesystem>
#include <set>

using namespace tally;

static std::string portableName(const std::string &name) {
  std::string result = name.empty() ? "_" : name;
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '.' && c != '_' && c != '-')
      c = '_';
  if (result[0] == '.')
    result[0] = '_';
  return result;
}

std::vector<std::string>
tally::outputFileNames(const std::vector<runtime::TensorInterface> &outputs) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const runtime::TensorInterface &output : outputs) {
    std::string stem = portableName(output.name), name = stem;
    for (int i = 2; !taken.insert(name).second; ++i)
      name = stem + "-" + std::to_string(i);
    names.push_back(name + ".npy");
  }
  return names;
}

Status tally::makeFolder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder, error))
    return Status::success();
  tally::Diagnostic failure;
  failure.kind = FailureKind::System;
  failure.rule = "FILE-OUT-1";
  failure.file = folder;
  failure.message = "cannot make the folder: " +
                    (error ? error.message() : std::string("a file is there"));
  return failure;
}

Result<std::vector<std::string>>
tally::writeOutputs(const std::string &folder,
                    const std::vector<runtime::TensorInterface> &outputs,
                    const std::vector<eval::Tensor> &tensors) {
  if (Status status = makeFolder(folder); !status)
    return status.takeError();
  std::vector<std::string> paths = outputFileNames(outputs);
  for (size_t i = 0; i < paths.size(); ++i) {
    paths[i] = (std::filesystem::path(folder) / paths[i]).string();
    if (Status status = writeNpy(paths[i], toNpy(tensors[i])); !status)
      return status.takeError();
  }
  return paths;
}
