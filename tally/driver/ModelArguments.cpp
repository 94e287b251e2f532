//===- ModelArguments.cpp - a model named on the command line -------------===//

#include "tally/driver/ModelArguments.h"

#include "llvm/ADT/StringExtras.h"

using namespace tally;
using llvm::StringRef;

static constexpr eval::Profile kProfiles[] = {
    eval::Profile::Ideal, eval::Profile::OnnxRuntime, eval::Profile::TfLite};

const char *tally::profileName(eval::Profile profile) {
  switch (profile) {
  case eval::Profile::Ideal:
    return "ideal";
  case eval::Profile::OnnxRuntime:
    return "onnxruntime";
  case eval::Profile::TfLite:
    return "tflite";
  }
  return "";
}

Result<eval::Profile> tally::profileNamed(const std::string &name) {
  for (eval::Profile profile : kProfiles)
    if (name == profileName(profile))
      return profile;
  return usageError("CLI-3", "'" + name + "' is no numerics profile",
                    "profiles: ideal, onnxruntime, tflite");
}

Result<std::vector<int64_t>> tally::parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  if (text == "scalar")
    return shape;
  for (StringRef part : llvm::split(text, 'x')) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 0)
      return usageError("CLI-3", "'" + text + "' is no shape",
                        "write sizes with 'x' between, such as 1x3x224x224");
    shape.push_back(size);
  }
  return shape;
}

/// "NAME=VALUE"; a name may hold '=', a value may not.
static std::pair<std::string, std::string> splitLast(const std::string &text) {
  size_t at = text.rfind('=');
  if (at == std::string::npos)
    return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

static Status parseDims(const Arguments &arguments, ModelArguments &model) {
  for (const std::string &text : arguments.values(option::dim)) {
    auto [name, value] = splitLast(text);
    int64_t size = 0;
    if (name.empty() || StringRef(value).getAsInteger(10, size) || size < 0)
      return usageError("CLI-3", "--dim '" + text + "' binds nothing",
                        "write --dim NAME=SIZE, such as --dim N=1");
    if (!model.dims.emplace(name, size).second)
      return usageError("CLI-3", "dimension '" + name + "' is bound twice");
  }
  return Status::success();
}

static Status parseShapes(const Arguments &arguments, ModelArguments &model) {
  for (const std::string &text : arguments.values(option::shape)) {
    auto [name, value] = splitLast(text);
    if (name.empty())
      return usageError("CLI-3", "--shape '" + text + "' binds nothing",
                        "write --shape INPUT=1x3x224x224");
    auto shape = parseShape(value);
    if (!shape)
      return shape.takeError();
    if (!model.shapes.emplace(name, *shape).second)
      return usageError("CLI-3",
                        "the shape of input '" + name + "' is given twice");
  }
  return Status::success();
}

static Status parseBindings(const Arguments &arguments, ModelArguments &model) {
  for (const std::string &text : arguments.values(option::bind)) {
    auto [name, value] = splitLast(text);
    if (name.empty() || value.empty())
      return usageError("CLI-3", "--bind '" + text + "' binds nothing",
                        "write --bind INPUT=NUMBER, such as --bind rate=16000");
    if (!model.bindings.emplace(name, value).second)
      return usageError("CLI-3", "input '" + name + "' is bound twice");
  }
  return Status::success();
}

Result<ModelArguments> tally::parseModelArguments(const Arguments &arguments) {
  ModelArguments model;
  if (arguments.positional().empty())
    return usageError("CLI-4", "no model is named",
                      "write the path of an .onnx file");
  model.path = arguments.positional()[0];
  for (auto parse : {parseDims, parseShapes, parseBindings})
    if (Status status = parse(arguments, model); !status)
      return status.takeError();
  model.inputs = arguments.listOf(option::inputs);
  model.outputs = arguments.listOf(option::outputs);
  model.states = arguments.values(option::state);
  model.keptOutputs = arguments.listOf(option::keep_output);
  auto profile = profileNamed(arguments.value(option::numerics, "ideal"));
  if (!profile)
    return profile.takeError();
  model.numerics = *profile;
  return model;
}

Status tally::refuseModelOptions(const Arguments &arguments,
                                 const std::string &path) {
  for (auto [id, name] :
       {std::pair(option::dim, "--dim"), std::pair(option::shape, "--shape"),
        std::pair(option::inputs, "--inputs"),
        std::pair(option::outputs, "--outputs"),
        std::pair(option::state, "--state"),
        std::pair(option::keep_output, "--keep-output"),
        std::pair(option::numerics, "--numerics"),
        std::pair(option::tiers, "--tiers"), std::pair(option::tune, "--tune"),
        std::pair(option::tune_seconds, "--tune"),
        std::pair(option::tune_cache, "--tune-cache"),
        std::pair(option::budget, "--budget"),
        std::pair(option::max_table_bytes, "--max-table-bytes"),
        std::pair(option::table_budget, "--table-budget"),
        std::pair(option::max_state_copies, "--max-state-copies"),
        std::pair(option::reproducer, "--reproducer")})
    if (arguments.has(id))
      return usageError(
          "RUN-10", "'" + path + "' is compiled: " + name + " comes too late",
          "compile the model with it");
  return Status::success();
}
