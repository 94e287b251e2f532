//===- ModelArguments.h - a model named on the command line -----*- C++ -*-===//
//
// MODEL, --dim, --shape, --bind, --inputs, --outputs, --state, --keep-output,
// --numerics.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_MODELARGUMENTS_H
#define TALLY_DRIVER_MODELARGUMENTS_H

#include "tally/driver/CommandLine.h"
#include "tally/eval/Request.h"

#include <map>

namespace tally {

struct ModelArguments {
  std::string path;
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::vector<int64_t>> shapes;
  std::map<std::string, std::string> bindings; ///< inputs made constants
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> states;      ///< as given; StateArguments.h
  std::vector<std::string> keptOutputs; ///< outputs that are states, too
  eval::Profile numerics = eval::Profile::Ideal;
};

/// The model that `arguments` names; CLI-3, CLI-4.
Result<ModelArguments> parseModelArguments(const Arguments &arguments);

/// RUN-10 for options that say how to compile, of a model that is compiled.
Status refuseModelOptions(const Arguments &arguments, const std::string &path);

/// "1x3x224" as dimensions from 0; CLI-3 in `failure`'s words.
Result<std::vector<int64_t>> parseShape(const std::string &text);

/// "ideal", "onnxruntime", "tflite".
const char *profileName(eval::Profile profile);
Result<eval::Profile> profileNamed(const std::string &name);

} // namespace tally

#endif // TALLY_DRIVER_MODELARGUMENTS_H
