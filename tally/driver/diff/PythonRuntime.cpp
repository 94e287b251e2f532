//===- PythonRuntime.cpp - what asking onnxruntime takes ------------------===//

#include "tally/driver/diff/PythonRuntime.h"
#include "tally/driver/tensors/NpyTensor.h"
#include "tally/graph/Locations.h"
#include "tally/support/Npz.h"
#include "tally/support/ReadFile.h"

#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;
using namespace tally;

std::string tally::pythonProgram() {
  if (const char *chosen = std::getenv("TALLY_PYTHON"))
    return chosen;
  auto found = llvm::sys::findProgramByName("python3");
  return found ? *found : "";
}

static void addBoundInputs(func::FuncOp function,
                           std::vector<NpzEntry> &inputs) {
  auto bound =
      function->getParentOfType<ModuleOp>()->getAttrOfType<DictionaryAttr>(
          "nn.bound");
  if (!bound)
    return;
  for (NamedAttribute entry : bound) {
    auto value = cast<ElementsAttr>(entry.getValue());
    auto type = cast<RankedTensorType>(value.getShapedType());
    inputs.push_back(
        {entry.getName().str(), toNpy(nn::hostTensor(value, type))});
  }
}

Status tally::writeRuntimeInputs(const std::string &file, func::FuncOp function,
                                 const std::vector<eval::Tensor> &inputs) {
  std::vector<NpzEntry> entries;
  for (auto [argument, tensor] : llvm::zip(function.getArguments(), inputs))
    entries.push_back({nn::tensorName(argument).str(), toNpy(tensor)});
  addBoundInputs(function, entries);
  return entries.empty() ? Status::success() : writeNpz(file, entries);
}

std::string tally::trimmedText(const std::string &file) {
  auto bytes = readFile(file);
  if (!bytes)
    return "";
  return StringRef(reinterpret_cast<const char *>(bytes->data()), bytes->size())
      .trim()
      .str();
}
