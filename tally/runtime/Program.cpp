//===- Program.cpp - a compiled model in this process ---------------------===//

#include "tally/runtime/Program.h"
#include "tally/support/CheckedMath.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

using namespace tally;
using namespace tally::runtime;

static tally::Diagnostic failed(FailureKind kind, std::string rule,
                                std::string message) {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  return failure;
}

Status Program::run(const void *const *inputs, void *const *outputs,
                    void *arena) const {
  int32_t code = function(inputs, outputs, arena);
  if (code == 0)
    return Status::success();
  return failed(FailureKind::Internal, "RUN-8",
                "the program refused its pointers (status " +
                    std::to_string(code) + ")");
}

/// The system reads the file by its name, a second time after readArtifact.
/// A copy in memory of the bytes that were checked (memfd) would be read once,
/// but then every process has constants of its own, where the file's pages are
/// shared.
static Result<Program> openLibrary(const Artifact &artifact) {
  // A name without a slash would be searched for elsewhere.
  std::string path = std::filesystem::absolute(artifact.path).string();
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return failed(FailureKind::System, "RUN-5",
                  std::string("the system cannot load it: ") + dlerror());
  std::shared_ptr<void> code(handle, dlclose);
  std::string symbol = artifact.interface.symbol + "_run";
  void *function = dlsym(handle, symbol.c_str());
  if (!function)
    return failed(FailureKind::Model, "RUN-6",
                  "the library does not export " + symbol);
  return Program(artifact.interface, reinterpret_cast<RunFunction>(function),
                 std::move(code));
}

Result<Program> runtime::loadLibrary(const Artifact &artifact) {
  Status status = checkHost(artifact.interface);
  auto program = status ? openLibrary(artifact) : status.takeError();
  if (program)
    return program;
  tally::Diagnostic failure = program.takeError();
  failure.file = artifact.path;
  return failure;
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

Result<Context> Context::create(Program program) {
  // A static arena would be shared with every other context of the code.
  const Interface &about = program.interface();
  if (about.arenaBytes == 0)
    return Context(std::move(program), nullptr);
  // aligned_alloc wants a whole number of alignments.
  int64_t alignment = std::max<int64_t>(about.arenaAlignment, sizeof(void *));
  auto bytes = checkedAdd(about.arenaBytes, alignment - 1);
  void *memory =
      bytes ? std::aligned_alloc(alignment, *bytes / alignment * alignment)
            : nullptr;
  if (!memory)
    return failed(FailureKind::System, "RUN-9",
                  "no memory for an arena of " +
                      std::to_string(about.arenaBytes) + " bytes");
  return Context(std::move(program), std::shared_ptr<void>(memory, std::free));
}

static Status checkTensor(const TensorInterface &wanted,
                          const eval::Tensor &tensor) {
  if (tensor.element == wanted.element && tensor.shape == wanted.shape)
    return Status::success();
  return failed(FailureKind::Usage, "RUN-7",
                "the tensor for input '" + wanted.name +
                    "' has another type or shape");
}

Status Context::run(const void *const *inputs, void *const *outputs) {
  // A program wants lists even when they are empty.
  static const void *const none[1] = {};
  static void *const nowhere[1] = {};
  return program.run(inputs ? inputs : none, outputs ? outputs : nowhere,
                     arena.get());
}

Result<std::vector<eval::Tensor>>
Context::run(const std::vector<eval::Tensor> &inputs) {
  const Interface &about = interface();
  if (inputs.size() != about.inputs.size())
    return failed(FailureKind::Usage, "RUN-7",
                  std::to_string(inputs.size()) + " tensors for " +
                      std::to_string(about.inputs.size()) + " inputs");
  std::vector<const void *> in;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (Status status = checkTensor(about.inputs[i], inputs[i]); !status)
      return status.takeError();
    in.push_back(inputs[i].storage.get());
  }
  std::vector<eval::Tensor> outputs;
  std::vector<void *> out;
  for (const TensorInterface &output : about.outputs) {
    outputs.push_back({output.shape, output.element, output.quant, nullptr});
    outputs.back().allocate();
    out.push_back(outputs.back().storage.get());
  }
  if (Status status = run(in.data(), out.data()); !status)
    return status.takeError();
  return outputs;
}
