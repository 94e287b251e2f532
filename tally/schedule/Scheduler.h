//===- Scheduler.h - from nn operators to commands --------------*- C++ -*-===//
//
// What lowerings write with: tensors in SRAM with strides of their own, and
// commands on them. A tensor is a view: a storage, an offset and strides in
// bytes, composed when it is made, so that reshapes, transposes and slices cost
// nothing and there is never a chain to follow.
//
// Steps: the commands of one node, or of one part of it whose weights are
// loaded together. Loads of constants are issued a step ahead (Order.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_SCHEDULER_H
#define TALLY_SCHEDULE_SCHEDULER_H

#include "tally/eval/Request.h"
#include "tally/machine/Machine.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/ChannelParameters.h"
#include "tally/schedule/Choices.h"
#include "tally/schedule/Joins.h"
#include "tally/schedule/Npu.h"

#include "llvm/ADT/DenseSet.h"

namespace tally::schedule {

/// What a command adds to an offset when it runs: `step` bytes for each unit of
/// a counter (nn::countersOf) in [0, most].
struct Moving {
  int64_t counter = 0, most = 0, step = 0;
};

/// A view of bytes in one storage.
struct Tensor {
  mlir::Value storage;
  int64_t offset = 0; ///< bytes from the storage's first to element 0
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides; ///< bytes; one for each dimension
  machine::ElementType type = machine::ElementType::I8;
  /// Of a view for copies alone: `offset` is where it is when the counter is 0.
  std::optional<Moving> moving;

  int64_t rank() const { return int64_t(shape.size()); }
  int64_t bytes() const { return machine::elementBytes(type); }
  int64_t count() const;
  /// Whether it is in a region of global memory, not in SRAM.
  bool isGlobal() const;
};

/// The indices [begin, begin + size) of one dimension.
struct Span {
  int64_t begin = 0, size = 1;
  friend bool operator==(const Span &, const Span &) = default;
};

/// A box of indices: a span of each dimension.
using Piece = llvm::SmallVector<Span, 4>;

/// How the elements of a new tensor lie.
enum class Layout {
  RowMajor,
  ChannelsLast, ///< dimension 1 innermost: N, D1..Dn, C
};

/// The element type of what is in memory; nothing for types that no engine
/// knows.
std::optional<machine::ElementType> elementTypeOf(mlir::Type type);

class Scheduler;

/// A command while its fields are written.
class CommandWriter {
public:
  CommandWriter(Scheduler &scheduler, isa::CommandCode code, uint32_t queue);

  /// The first field that cannot hold its value is kept and reported by issue.
  template <typename Field> CommandWriter &set(Field field, int64_t value) {
    return setField(uint32_t(field), value);
  }
  /// Storage and offset of the operand with that prefix.
  CommandWriter &place(llvm::StringRef prefix, mlir::Value storage,
                       int64_t offset);
  /// A DMA's or vector's operand: place, type, and four strides.
  CommandWriter &box(llvm::StringRef prefix, const Tensor &tensor,
                     llvm::ArrayRef<int64_t> strides, int64_t offset);
  Status issue();

private:
  CommandWriter &setField(uint32_t field, int64_t value);
  CommandWriter &setNamed(const std::string &name, int64_t value);
  /// NPU-10: an operand's type is none of the engine's.
  Status checkTypes() const;

  Scheduler &scheduler;
  isa::CommandCode code;
  uint32_t queue;
  isa::Configuration config;
  llvm::SmallVector<mlir::Value> storages;
  llvm::SmallVector<llvm::StringRef> prefixes;
  llvm::SmallVector<int64_t> steps; ///< of each storage, by `moving`
  std::optional<Moving> moving;
  Status state;
};

class Scheduler {
public:
  Scheduler(const machine::Machine &machine, const Choices &choices,
            mlir::OpBuilder &builder);

  const machine::Machine &machine;
  const Choices choices;
  mlir::OpBuilder &builder;
  KnownParameters *known = nullptr; ///< shared with other schedules, if given
  mlir::Operation *node = nullptr;  ///< being lowered
  int64_t step = 0;

  /// The failure of a node that the machine cannot run:
  /// NPU-10 (Unsupported).
  Diagnostic unsupported(const std::string &what,
                         const std::string &hint = "") const;

  mlir::Value storage(llvm::StringRef name, int64_t bytes, int64_t alignment,
                      int64_t space);
  /// Constant bytes in region 0.
  mlir::Value constant(llvm::StringRef name, std::vector<uint8_t> bytes);
  /// A new tensor in SRAM of the type's shape.
  Result<Tensor> allocate(llvm::StringRef name, mlir::RankedTensorType type,
                          Layout layout);
  /// The same in the arena, or in SRAM.
  Result<Tensor> allocateAt(llvm::StringRef name, mlir::RankedTensorType type,
                            Layout layout, bool inGlobal);
  /// A row-major tensor at the start of a storage.
  Result<Tensor> rowMajor(mlir::Value storage, mlir::RankedTensorType type);

  /// The queue of the next command on an engine of that kind; engines of one
  /// kind take turns.
  Result<uint32_t>
  queueFor(machine::EngineKind kind,
           machine::Direction direction = machine::Direction::Both);
  Result<CommandWriter> command(isa::CommandCode code);

  /// A new tensor in SRAM of the shape of `like` with its order of dimensions
  /// in memory, without gaps.
  Tensor compact(llvm::StringRef name, const Tensor &like);

  /// Copies all elements by DMA, whatever the strides.
  Status copy(const Tensor &from, const Tensor &to);
  /// An SRAM storage with the bytes of a constant, loaded by DMA.
  Result<mlir::Value> load(mlir::Value constant, int64_t bytes);

  /// What stands for an nn value; made by the lowering of its producer. In
  /// SRAM: a tensor whose home is global memory is loaded whole.
  Result<Tensor> value(mlir::Value value);
  /// The same where it lives.
  Result<Tensor> home(mlir::Value value);
  /// A new tensor for a result, at its home (Homes.h).
  Result<Tensor> allocateResult(mlir::Value value, Layout layout);
  /// The same for a result that its producer writes with any strides: where a
  /// concatenation wants it, if its layout is `layout` (Joins.h).
  Result<Tensor> allocateStrided(mlir::Value value, Layout layout);
  /// A concatenation of which parts may have been written.
  Result<Tensor> allocateJoined(mlir::Value whole, Layout layout);
  llvm::DenseMap<mlir::Value, JoinedPart> parts;
  void bind(mlir::Value value, Tensor tensor);
  llvm::DenseSet<mlir::Value> away; ///< values whose home is global memory
  llvm::DenseSet<mlir::Value> channelsLast; ///< Layouts.h
  /// The caller's buffers of results that go straight there.
  llvm::DenseMap<mlir::Value, mlir::Value> destinations;
  /// Further places of the caller's for results that live in global memory:
  /// each piece is stored to all of them as well (lower/Piecewise).
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Tensor, 2>> shared;
  /// Where results of nn.shift_in are in the memory of their state.
  llvm::DenseMap<mlir::Value, Tensor> rings;
  /// The memory of states in which nn.scatter_nd writes rows at a counter, by
  /// the scatter's result.
  llvm::DenseMap<mlir::Value, Tensor> caches;
  /// Operators whose commands have been issued.
  llvm::DenseSet<mlir::Operation *> lowered;

  /// Pieces of a node's operands and results: while a frame is set, value,
  /// allocateResult and bind are about these.
  struct Frame {
    llvm::DenseMap<mlir::Value, Piece> pieces;
    llvm::DenseMap<mlir::Value, Tensor> tensors;
    /// Operands of the node whose bytes its result may take.
    llvm::SmallVector<mlir::Value> dying;
  };
  /// Sets a frame for as long as it lives; frames do not nest.
  class FrameScope {
  public:
    FrameScope(Scheduler &scheduler, Frame &frame) : scheduler(scheduler) {
      scheduler.frame = &frame;
    }
    ~FrameScope() { scheduler.frame = nullptr; }
    FrameScope(const FrameScope &) = delete;
    FrameScope &operator=(const FrameScope &) = delete;

  private:
    Scheduler &scheduler;
  };
  /// The piece of the value in the frame, or all of it.
  Piece pieceOf(mlir::Value value) const;
  /// Its shape.
  llvm::SmallVector<int64_t> shapeOf(mlir::Value value) const;
  /// allocateResult for a command that may write where it reads: takes the
  /// place of an operand that dies, if one has the result's size and layout.
  Result<Tensor> allocateInPlace(mlir::Value value, Layout layout);

private:
  Frame *frame = nullptr;
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, Tensor> wholes; ///< of concatenations
  std::map<std::pair<machine::EngineKind, machine::Direction>, size_t> turns;
};

/// Copies all elements from SRAM to SRAM on the vector engine.
Status copyElements(Scheduler &s, const Tensor &from, const Tensor &to);

/// One elementwise walk over tensors of equal shape (after broadcasting): calls
/// body(sizes, strides of each tensor, offsets of each tensor) for boxes of at
/// most four dimensions that cover all elements once.
Status forBoxes(llvm::ArrayRef<int64_t> shape,
                llvm::ArrayRef<const Tensor *> tensors,
                llvm::function_ref<Status(
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<llvm::SmallVector<int64_t, 4>> strides,
                    llvm::ArrayRef<int64_t> offsets)>
                    body);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_SCHEDULER_H
