//===- OnnxNames.h - names that are unique in a whole model -----*- C++ -*-===//

#ifndef TALLY_MODEL_ONNXNAMES_H
#define TALLY_MODEL_ONNXNAMES_H

#include "tally/model/onnx.pb.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tally::model {

/// The names of one kind (values or nodes) in one model: those that the file
/// gives, which keep their place, and those made up while reading.
class NameTable {
public:
  /// Notes a name that the file gives, before any is taken.
  void reserve(const std::string &name) { taken.emplace(name, false); }

  /// The file's `name` itself the first time, and something like "name_2" for
  /// every further node that has it.
  std::string original(const std::string &name);

  /// `wanted` when no one has it, else something like "wanted_2".
  std::string fresh(const std::string &wanted);

private:
  std::unordered_map<std::string, bool> taken; ///< name -> handed out
  std::unordered_map<std::string, unsigned> lastSuffix;
};

/// Reserves every node name and every defined value name of `graph` and of the
/// graphs nested in it.
void reserveNames(const onnx::GraphProto &graph, NameTable &nodes,
                  NameTable &values);

} // namespace tally::model

#endif // TALLY_MODEL_ONNXNAMES_H
