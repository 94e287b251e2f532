//===- CApi.cpp - running compiled models from C --------------------------===//
//
// Rule CAPI-1: a call has the pointers that it needs (Usage). Everything else
// that can fail does so by the rules of Artifact.h, Interface.h and Context.h.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/CHandles.h"
#include "tally/runtime/JitProgram.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tally;
using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static TallyStatus statusOf(FailureKind kind) {
  switch (kind) {
  case FailureKind::Usage:
    return TALLY_USAGE;
  case FailureKind::Model:
    return TALLY_MODEL;
  case FailureKind::Unsupported:
  case FailureKind::Machine:
    return TALLY_UNSUPPORTED;
  case FailureKind::System:
    return TALLY_SYSTEM;
  case FailureKind::Internal:
    return TALLY_INTERNAL;
  }
  return TALLY_INTERNAL;
}

TallyStatus runtime::report(const tally::Diagnostic &failure, char **error) {
  if (error)
    *error = strdup(failure.str().c_str());
  return statusOf(failure.kind);
}

TallyStatus runtime::report(const Status &status, char **error) {
  if (!status)
    return report(status.error(), error);
  if (error)
    *error = nullptr;
  return TALLY_OK;
}

TallyStatus runtime::misuse(const char *message, char **error) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = "CAPI-1";
  failure.message = message;
  return report(failure, error);
}

extern "C" void tally_error_free(char *error) { std::free(error); }

extern "C" const char *tally_version(void) { return TALLY_VERSION; }

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

extern "C" TallyStatus
tally_program_load(const char *path, TallyProgram **program, char **error) {
  if (error)
    *error = nullptr;
  if (!path || !program)
    return misuse("tally_program_load needs a path and a place for the result",
                  error);
  *program = nullptr;
  auto loaded = loadProgram(path);
  if (!loaded)
    return report(loaded.error(), error);
  std::string json = toJson(loaded->interface());
  *program = new TallyProgram{std::move(*loaded), std::move(json)};
  return TALLY_OK;
}

extern "C" TallyStatus tally_program_verify(const TallyProgram *program,
                                            char **error) {
  if (!program)
    return misuse("tally_program_verify needs a program", error);
  return report(program->program.verify(), error);
}

extern "C" void tally_program_free(TallyProgram *program) { delete program; }

extern "C" size_t tally_input_count(const TallyProgram *program) {
  return program->program.interface().inputs.size();
}

extern "C" size_t tally_output_count(const TallyProgram *program) {
  return program->program.interface().outputs.size();
}

TallyStatus runtime::describe(const TensorInterface &tensor,
                              TallyTensorInfo *info) {
  if (!info)
    return TALLY_USAGE;
  *info = TallyTensorInfo();
  info->name = tensor.name.c_str();
  // Both enumerations have the same order; CApiTest holds them together.
  info->type = static_cast<TallyType>(tensor.element);
  info->rank = tensor.shape.size();
  info->shape = tensor.shape.data();
  info->bytes = static_cast<size_t>(tensor.byteCount());
  info->axis = -1;
  if (tensor.quant) {
    info->grid_count = tensor.quant->scales.size();
    info->scales = tensor.quant->scales.data();
    info->zero_points = tensor.quant->zeroPoints.data();
    info->axis = tensor.quant->axis;
  }
  return TALLY_OK;
}

extern "C" TallyStatus tally_input_info(const TallyProgram *program,
                                        size_t index, TallyTensorInfo *info) {
  const auto &tensors = program->program.interface().inputs;
  return index < tensors.size() ? describe(tensors[index], info) : TALLY_USAGE;
}

extern "C" TallyStatus tally_output_info(const TallyProgram *program,
                                         size_t index, TallyTensorInfo *info) {
  const auto &tensors = program->program.interface().outputs;
  return index < tensors.size() ? describe(tensors[index], info) : TALLY_USAGE;
}

extern "C" size_t tally_arena_bytes(const TallyProgram *program) {
  return static_cast<size_t>(program->program.interface().arenaBytes);
}

extern "C" size_t tally_constant_bytes(const TallyProgram *program) {
  return static_cast<size_t>(program->program.interface().constBytes);
}

extern "C" const char *tally_interface_json(const TallyProgram *program) {
  return program->json.c_str();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

extern "C" TallyStatus tally_context_create(const TallyProgram *program,
                                            TallyContext **context,
                                            char **error) {
  if (error)
    *error = nullptr;
  if (!program || !context)
    return misuse("tally_context_create needs a program and a place for the "
                  "result",
                  error);
  *context = nullptr;
  auto created = Context::create(program->program);
  if (!created)
    return report(created.error(), error);
  *context = new TallyContext{std::move(*created)};
  return TALLY_OK;
}

extern "C" void tally_context_free(TallyContext *context) { delete context; }

extern "C" size_t tally_thread_count(const TallyProgram *program) {
  return static_cast<size_t>(program->program.interface().threads);
}

extern "C" TallyStatus tally_context_set_threads(TallyContext *context,
                                                 size_t threads, char **error) {
  if (!context)
    return misuse("tally_context_set_threads needs a context", error);
  auto most = static_cast<size_t>(kMostThreads + 1);
  return report(context->context.setThreads(
                    static_cast<int64_t>(std::min(threads, most))),
                error);
}

extern "C" TallyStatus
tally_context_set_parallel_for(TallyContext *context,
                               TallyParallelFor parallel_for, void *user,
                               char **error) {
  if (!context)
    return misuse("tally_context_set_parallel_for needs a context", error);
  return report(context->context.setParallelFor(parallel_for, user), error);
}

/// Whether a list has a pointer for each tensor.
template <typename Pointer>
static bool isComplete(Pointer const *pointers, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!pointers || !pointers[i])
      return false;
  return true;
}

extern "C" TallyStatus tally_run(TallyContext *context,
                                 const void *const *inputs,
                                 void *const *outputs, char **error) {
  if (error)
    *error = nullptr;
  if (!context)
    return misuse("tally_run needs a context", error);
  const Interface &about = context->context.interface();
  if (!isComplete(inputs, about.inputs.size()) ||
      !isComplete(outputs, about.outputs.size()))
    return misuse("tally_run needs a pointer for every input and output",
                  error);
  return report(context->context.run(inputs, outputs), error);
}
