//===- Context.cpp - a stream of calls of a program -----------------------===//
//
// All memory is there when the context is: lists of pointers, ranges to check,
// arena and block. A call fills in pointers, so that it allocates nothing.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/Context.h"
#include "tally/runtime/Buffers.h"
#include "tally/runtime/ThreadPool.h"
#include "tally/support/CheckedMath.h"
#include "tally/support/Failed.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

using namespace tally;
using namespace tally::runtime;

namespace {
struct Freed {
  void operator()(void *memory) const { std::free(memory); }
};
using Allocation = std::unique_ptr<void, Freed>;
} // namespace

struct Context::Memory {
  Memory(Program program, Allocation arena, Allocation owned, void *block);

  const Interface &interface() const { return program.interface(); }
  void bindStates();

  Program program;
  Allocation arena, ownBlock;
  void *block; ///< null without states
  StateBlock states;
  BufferCheck buffers;
  /// For SYMBOL_run: the model's own, then the states', then a null, since a
  /// program wants lists even when they are empty.
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  std::unique_ptr<ThreadPool> pool; ///< null for one thread
  ParallelFor parallelFor = nullptr;
  void *user = nullptr; ///< of parallelFor
  std::atomic_flag isBusy;
};

//===----------------------------------------------------------------------===//
// Use by one at a time
//===----------------------------------------------------------------------===//

namespace {
/// Holds a flag, unless somebody else does.
class Turn {
public:
  explicit Turn(std::atomic_flag &flag)
      : flag(flag), isMine(!flag.test_and_set(std::memory_order_acquire)) {}
  ~Turn() {
    if (isMine)
      flag.clear(std::memory_order_release);
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;
  explicit operator bool() const { return isMine; }

private:
  std::atomic_flag &flag;
  const bool isMine;
};
} // namespace

static tally::Diagnostic busy() {
  return failed(FailureKind::Usage, "RUN-19",
                "the context is in use by another thread",
                "give each thread a context of its own");
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// `bytes` of memory (null for none), described as `what` in RUN-9.
static Result<Allocation> allocate(int64_t bytes, int64_t alignment,
                                   const char *what) {
  if (bytes == 0)
    return Allocation();
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
  return Allocation(memory);
}

/// RUN-20.
static Status checkBlock(std::span<std::byte> block, int64_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(block.data());
  if (static_cast<int64_t>(block.size()) >= bytes &&
      address % kStateAlignment == 0)
    return Status::success();
  return failed(FailureKind::Usage, "RUN-20",
                "the block for states has " + std::to_string(block.size()) +
                    " bytes at an address that is " +
                    std::to_string(address % kStateAlignment) + " modulo " +
                    std::to_string(kStateAlignment) + "; it takes " +
                    std::to_string(bytes) + " bytes at a multiple");
}

Context::Memory::Memory(Program program, Allocation arena, Allocation owned,
                        void *block)
    : program(std::move(program)), arena(std::move(arena)),
      ownBlock(std::move(owned)), block(block), states(interface(), block),
      buffers(interface()), inputs(interface().inputPointers() + 1),
      outputs(interface().outputPointers() + 1) {
  buffers.reserve("the arena", this->arena.get(), interface().arenaBytes);
  buffers.reserve("the block of states", block, stateLayout(interface()).bytes);
}

Context::Context(std::unique_ptr<Memory> memory) : memory(std::move(memory)) {}
Context::Context(Context &&) noexcept = default;
Context &Context::operator=(Context &&) noexcept = default;
Context::~Context() = default;

const Interface &Context::interface() const { return memory->interface(); }
const void *Context::arena() const { return memory->arena.get(); }

Result<Context> Context::create(Program program, std::span<std::byte> block) {
  // A static arena would be shared with every other context of the code.
  const Interface &about = program.interface();
  auto arena = allocate(about.arenaBytes, about.arenaAlignment, "an arena");
  if (!arena)
    return arena.takeError();
  int64_t bytes = stateLayout(about).bytes;
  bool isGiven = block.data() != nullptr;
  if (isGiven)
    if (Status status = checkBlock(block, bytes); !status)
      return status.takeError();
  auto owned =
      allocate(isGiven ? 0 : bytes, kStateAlignment, "a block of states");
  if (!owned)
    return owned.takeError();
  void *place = bytes && isGiven ? block.data() : owned->get();
  Context context(std::make_unique<Memory>(
      std::move(program), std::move(*arena), std::move(*owned), place));
  if (Status status = context.reset(); !status)
    return status.takeError();
  return context;
}

Result<Context> Context::clone(std::span<std::byte> block) const {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  auto copy = create(memory->program, block);
  if (copy && memory->block)
    std::memcpy(copy->memory->block, memory->block,
                stateLayout(interface()).bytes);
  return copy;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static tally::Diagnostic tooMany(const std::string &asked, int64_t most) {
  return failed(FailureKind::Usage, "RUN-22",
                asked + ", and the program was made for " +
                    (most == 1 ? "one" : "at most " + std::to_string(most)),
                "compile the model with --threads N for as many");
}

Status Context::setThreads(int64_t threads) {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  int64_t most = interface().threads;
  if (threads < 1 || threads > most)
    return tooMany(std::to_string(threads) + " threads are asked for", most);
  memory->pool = nullptr;
  memory->parallelFor = nullptr;
  if (threads == 1)
    return Status::success();
  auto pool = ThreadPool::create(static_cast<int32_t>(threads));
  if (!pool)
    return pool.takeError();
  memory->pool = std::move(*pool);
  memory->parallelFor = ThreadPool::parallelFor;
  memory->user = memory->pool.get();
  return Status::success();
}

Status Context::setParallelFor(ParallelFor parallelFor, void *user) {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  if (parallelFor && interface().threads == 1)
    return tooMany("threads of the caller's are given", 1);
  memory->pool = nullptr;
  memory->parallelFor = parallelFor;
  memory->user = user;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Pointers of the states behind the model's own.
void Context::Memory::bindStates() {
  size_t in = interface().inputs.size(), out = interface().outputs.size();
  for (size_t i = 0; i < interface().states.size(); ++i) {
    if (interface().states[i].isRead)
      inputs[in++] = states.oldValue(i);
    if (interface().states[i].isWritten)
      outputs[out++] = states.newValue(i);
  }
}

/// Of a run that failed (Program.h).
static bool wroteNothing(const tally::Diagnostic &failure) {
  return failure.rule == "RUN-24" || failure.rule == "ART-5";
}

Status Context::run(const void *const *inputs, void *const *outputs) {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  if (Status status = memory->buffers.check(inputs, outputs); !status)
    return status;
  if (Status status = memory->states.checkValues(); !status)
    return status;
  if (Status status = memory->states.checkNumbers(); !status)
    return status;
  std::copy_n(inputs, interface().inputs.size(), memory->inputs.begin());
  std::copy_n(outputs, interface().outputs.size(), memory->outputs.begin());
  memory->bindStates();
  memory->states.begin();
  Status status = memory->program.run(
      memory->inputs.data(), memory->outputs.data(), memory->arena.get(),
      memory->parallelFor, memory->user);
  if (status && memory->block)
    memory->states.commit();
  if (!status && wroteNothing(status.error()))
    memory->states.cancel();
  return status;
}

static Status checkTensor(const TensorInterface &wanted,
                          const eval::Tensor &tensor) {
  if (tensor.element == wanted.element && tensor.shape == wanted.shape)
    return Status::success();
  return failed(FailureKind::Usage, "RUN-7",
                "the tensor for input '" + wanted.name +
                    "' has another type or shape");
}

static eval::Tensor tensorFor(const TensorInterface &about) {
  eval::Tensor tensor{about.shape, about.element, about.quant, nullptr};
  tensor.allocate();
  return tensor;
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
    outputs.push_back(tensorFor(output));
    out.push_back(outputs.back().storage.get());
  }
  if (Status status = run(in.data(), out.data()); !status)
    return status.takeError();
  return outputs;
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

Status Context::reset() {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  if (memory->block)
    memory->states.reset();
  return Status::success();
}

Status Context::reset(size_t state) {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  memory->states.reset(state);
  return Status::success();
}

Status Context::readState(size_t state, void *bytes) const {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  if (Status status = memory->states.checkValue(state); !status)
    return status;
  memory->states.readValue(state, bytes);
  return Status::success();
}

Status Context::setState(size_t state, const void *bytes) {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  memory->states.setValue(state, bytes);
  return Status::success();
}

static tally::Diagnostic inPieces(const StateInterface &state) {
  return failed(FailureKind::Unsupported, "RUN-25",
                "the value of state '" + state.tensor.name + "' lies in " +
                    std::to_string(state.rows) + " pieces",
                "copy it out");
}

Result<const void *> Context::viewState(size_t state) const {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  if (Status status = memory->states.checkValue(state); !status)
    return status.takeError();
  const StateInterface &about = interface().states[state];
  if (about.rows > 1)
    return inPieces(about);
  return memory->states.oldValue(state);
}

Result<NamedTensors> Context::states() const {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  NamedTensors values;
  for (size_t i = 0; i < interface().states.size(); ++i) {
    Status status = memory->states.checkValue(i);
    if (!status && status.error().rule == "RUN-15")
      continue; // none yet
    if (!status)
      return status.takeError();
    eval::Tensor tensor = tensorFor(interface().states[i].tensor);
    memory->states.readValue(i, tensor.storage.get());
    values.emplace(interface().states[i].tensor.name, std::move(tensor));
  }
  return values;
}

Status Context::setStates(const NamedTensors &values) {
  Turn turn(memory->isBusy);
  if (!turn)
    return busy();
  for (size_t i = 0; i < interface().states.size(); ++i) {
    auto found = values.find(interface().states[i].tensor.name);
    if (found == values.end())
      memory->states.reset(i);
    else
      memory->states.setValue(i, found->second.storage.get());
  }
  return Status::success();
}
