//===- CApiStates.cpp - contexts and their states from C ------------------===//
//
// CAPI-1 as in CApi.cpp; CAPI-2: an index is below the number of states, and
// memory has the bytes that the program says (Usage).
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/CHandles.h"

using namespace tally;
using namespace tally::runtime;

static const Interface &interfaceOf(const TallyProgram *program) {
  return program->program.interface();
}

static TallyStatus outOfRange(std::string message, char **error) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = "CAPI-2";
  failure.message = std::move(message);
  return report(failure, error);
}

/// CAPI-1, CAPI-2 for a call about one state.
static TallyStatus checkState(const TallyContext *context, size_t state,
                              char **error) {
  if (!context)
    return misuse("a state belongs to a context", error);
  size_t count = context->context.interface().states.size();
  if (state < count)
    return TALLY_OK;
  return outOfRange("there is no state " + std::to_string(state) + " of " +
                        std::to_string(count),
                    error);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

extern "C" size_t tally_state_count(const TallyProgram *program) {
  return interfaceOf(program).states.size();
}

extern "C" TallyStatus tally_state_info(const TallyProgram *program,
                                        size_t index, TallyTensorInfo *info) {
  const auto &states = interfaceOf(program).states;
  return index < states.size() ? describe(states[index].tensor, info)
                               : TALLY_USAGE;
}

extern "C" size_t tally_state_block_bytes(const TallyProgram *program) {
  return static_cast<size_t>(stateLayout(interfaceOf(program)).bytes);
}

extern "C" size_t tally_saved_bytes(const TallyProgram *program) {
  return static_cast<size_t>(savedBytes(stateTensors(interfaceOf(program))));
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Hands out what was created.
static TallyStatus give(Result<Context> created, TallyContext **context,
                        char **error) {
  if (!created)
    return report(created.error(), error);
  *context = new TallyContext{std::move(*created)};
  return TALLY_OK;
}

extern "C" TallyStatus tally_context_create_in(const TallyProgram *program,
                                               void *block, size_t bytes,
                                               TallyContext **context,
                                               char **error) {
  if (error)
    *error = nullptr;
  if (!program || !block || !context)
    return misuse("tally_context_create_in needs a program, a block and a "
                  "place for the result",
                  error);
  *context = nullptr;
  return give(Context::create(program->program,
                              {static_cast<std::byte *>(block), bytes}),
              context, error);
}

extern "C" TallyStatus tally_context_clone(TallyContext *context,
                                           TallyContext **copy, char **error) {
  if (error)
    *error = nullptr;
  if (!context || !copy)
    return misuse("tally_context_clone needs a context and a place for the "
                  "result",
                  error);
  *copy = nullptr;
  return give(context->context.clone(), copy, error);
}

extern "C" TallyStatus tally_context_reset(TallyContext *context,
                                           char **error) {
  if (!context)
    return misuse("tally_context_reset needs a context", error);
  return report(context->context.reset(), error);
}

extern "C" TallyStatus tally_context_reset_state(TallyContext *context,
                                                 size_t state, char **error) {
  if (TallyStatus status = checkState(context, state, error))
    return status;
  return report(context->context.reset(state), error);
}

extern "C" TallyStatus tally_context_get_state(TallyContext *context,
                                               size_t state, void *value,
                                               char **error) {
  if (!value)
    return misuse("tally_context_get_state needs a place for the value", error);
  if (TallyStatus status = checkState(context, state, error))
    return status;
  return report(context->context.readState(state, value), error);
}

extern "C" TallyStatus tally_context_set_state(TallyContext *context,
                                               size_t state, const void *value,
                                               char **error) {
  if (!value)
    return misuse("tally_context_set_state needs a value", error);
  if (TallyStatus status = checkState(context, state, error))
    return status;
  return report(context->context.setState(state, value), error);
}

extern "C" TallyStatus tally_context_view_state(TallyContext *context,
                                                size_t state,
                                                const void **value,
                                                char **error) {
  if (!value)
    return misuse("tally_context_view_state needs a place for the pointer",
                  error);
  *value = nullptr;
  if (TallyStatus status = checkState(context, state, error))
    return status;
  auto found = context->context.viewState(state);
  if (!found)
    return report(found.error(), error);
  *value = *found;
  return TALLY_OK;
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

extern "C" TallyStatus tally_context_save(TallyContext *context, void *saved,
                                          size_t bytes, char **error) {
  if (!context || !saved)
    return misuse("tally_context_save needs a context and a place for the "
                  "bytes",
                  error);
  const Interface &about = context->context.interface();
  auto values = context->context.states();
  if (!values)
    return report(values.error(), error);
  std::string text = saveStates(stateTensors(about), about.stateHash, *values);
  if (bytes < text.size())
    return outOfRange("saved states take " + std::to_string(text.size()) +
                          " bytes, there is place for " + std::to_string(bytes),
                      error);
  std::memcpy(saved, text.data(), text.size());
  return report(Status::success(), error);
}

extern "C" TallyStatus tally_context_restore(TallyContext *context,
                                             const void *saved, size_t bytes,
                                             char **error) {
  if (!context || !saved)
    return misuse("tally_context_restore needs a context and saved bytes",
                  error);
  const Interface &about = context->context.interface();
  auto values = loadStates({static_cast<const uint8_t *>(saved), bytes},
                           stateTensors(about), about.stateHash);
  if (!values)
    return report(values.error(), error);
  return report(context->context.setStates(*values), error);
}
