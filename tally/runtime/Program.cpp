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

/// `bytes` of memory (null for none), described as `what` in RUN-9.
static Result<std::shared_ptr<void>> allocate(int64_t bytes, int64_t alignment,
                                              const char *what) {
  if (bytes == 0)
    return std::shared_ptr<void>();
  // aligned_alloc wants a whole number of alignments.
  alignment = std::max<int64_t>(alignment, sizeof(void *));
  auto padded = checkedAdd(bytes, alignment - 1);
  void *memory =
      padded ? std::aligned_alloc(alignment, *padded / alignment * alignment)
             : nullptr;
  if (!memory)
    return failed(FailureKind::System, "RUN-9",
                  std::string("no memory for ") + what + " of " +
                      std::to_string(bytes) + " bytes");
  return std::shared_ptr<void>(memory, std::free);
}

Result<Context> Context::create(Program program) {
  // A static arena would be shared with every other context of the code.
  const Interface &about = program.interface();
  auto arena = allocate(about.arenaBytes, about.arenaAlignment, "an arena");
  if (!arena)
    return arena.takeError();
  auto block =
      allocate(stateLayout(about).bytes, kStateAlignment, "a block of states");
  if (!block)
    return block.takeError();
  Context context(std::move(program), std::move(*arena), std::move(*block));
  if (context.block)
    context.states().reset();
  return context;
}

static Status checkTensor(const TensorInterface &wanted,
                          const eval::Tensor &tensor) {
  if (tensor.element == wanted.element && tensor.shape == wanted.shape)
    return Status::success();
  return failed(FailureKind::Usage, "RUN-7",
                "the tensor for input '" + wanted.name +
                    "' has another type or shape");
}

/// One run with the states' pointers behind the model's own.
static Status runWithStates(const Program &program, const void *const *inputs,
                            void *const *outputs, void *arena,
                            StateBlock states) {
  const Interface &about = program.interface();
  if (Status status = states.checkValues(); !status)
    return status;
  std::vector<const void *> in(inputs, inputs + about.inputs.size());
  std::vector<void *> out(outputs, outputs + about.outputs.size());
  for (size_t i = 0; i < about.states.size(); ++i) {
    if (about.states[i].isRead)
      in.push_back(states.oldValue(i));
    if (about.states[i].isWritten)
      out.push_back(states.newValue(i));
  }
  in.push_back(nullptr); // a program wants lists even when they are empty
  out.push_back(nullptr);
  Status status = program.run(in.data(), out.data(), arena);
  if (status)
    states.commit();
  return status;
}

Status Context::run(const void *const *inputs, void *const *outputs) {
  if (block)
    return runWithStates(program, inputs, outputs, arena.get(), states());
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
