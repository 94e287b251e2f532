//===- OnnxRuleCases.h - files that break a rule ----------------*- C++ -*-===//

#ifndef TALLY_MODEL_ONNXRULECASES_H
#define TALLY_MODEL_ONNXRULECASES_H

#include "tally/model/OnnxRules.h"
#include "tally/model/OnnxTestModel.h"

#include <gtest/gtest.h>

namespace tally::model::test {

struct RuleCase {
  OnnxRule rule;
  const char *what;
  /// Reads a broken file; the folder is its own.
  Result<Model> (*read)(const Folder &folder);
  const char *node = ""; ///< what the diagnostic must be about
};

inline void PrintTo(const RuleCase &test, std::ostream *out) {
  *out << onnxRules()[static_cast<size_t>(test.rule)].label << ": "
       << test.what;
}

/// Files, models, graphs, types, attributes, functions.
std::span<const RuleCase> graphRuleCases();
/// Tensors and external data.
std::span<const RuleCase> dataRuleCases();

/// A case that changes the valid model and reads it.
template <auto change> Result<Model> changed(const Folder &folder) {
  onnx::ModelProto model = reluModel();
  change(model);
  return readBack(model, folder.path());
}

#define CHANGED(...) changed<[](onnx::ModelProto &model) { __VA_ARGS__ }>

inline onnx::GraphProto &mainGraph(onnx::ModelProto &model) {
  return *model.mutable_graph();
}

inline onnx::NodeProto *relu(onnx::ModelProto &model) {
  return model.mutable_graph()->mutable_node(0);
}

} // namespace tally::model::test

#endif // TALLY_MODEL_ONNXRULECASES_H
