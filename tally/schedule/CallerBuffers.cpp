//===- CallerBuffers.cpp - inputs, outputs and states ---------------------===//
//
// Inputs with room in SRAM are copied there, others read where they are;
// outputs are copied out, or written there piece by piece.
//
// Example of a state in place: y = f(s), s' = s + x. With s in SRAM the load of
// it comes first and the store of s' last. With s and s' in global memory both
// go piece by piece: each piece of s is loaded before that piece of s' is
// stored. Should f(s) run behind s', the pieces of s' go to the arena, and from
// there to the state at last. With s' an output, too, each piece of it is
// stored twice as long as it is in SRAM.
//
// Cost: for each result in place, the readers of the old value.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/CallerBuffers.h"
#include "tally/graph/Locations.h"
#include "tally/ops/HandedOn.h"
#include "tally/schedule/lower/Counted.h"
#include "tally/schedule/lower/Views.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static std::string nameOf(func::FuncOp function, bool isInput, unsigned i) {
  auto name = isInput ? function.getArgAttrOfType<StringAttr>(i, "nn.name")
                      : function.getResultAttrOfType<StringAttr>(i, "nn.name");
  return name ? name.str() : (isInput ? "input" : "output") + std::to_string(i);
}

static Result<int64_t> bytesOf(Scheduler &s, Value value, const char *what) {
  auto element = elementTypeOf(value.getType());
  if (!element)
    return s.unsupported(std::string(what) + " of this element type");
  return typeOf(value).getNumElements() * machine::elementBytes(*element);
}

CallerBuffers::CallerBuffers(Scheduler &s, func::FuncOp function)
    : s(s), function(function), regions(regionsOf(function)) {}

OperandRange CallerBuffers::results() {
  return function.getBody().front().getTerminator()->getOperands();
}

Status CallerBuffers::check() const {
  int64_t count = regions.end - isa::kFirstCallerRegion;
  constexpr int64_t most = isa::kSram - isa::kFirstCallerRegion;
  if (count <= most)
    return Status::success();
  return s.unsupported("there are " + std::to_string(count) +
                           ", a program has at most " + std::to_string(most),
                       "join some of them, or name fewer with --outputs");
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A tensor whose dimension `axis` is frames of a ring, the first of them
/// number `first` of `storage`.
static Result<Tensor> framesIn(Scheduler &s, Value storage,
                               RankedTensorType type, size_t axis,
                               int64_t first, int64_t pitch) {
  SmallVector<int64_t> frame(type.getShape());
  frame[axis] = 1;
  auto tensor =
      s.rowMajor(storage, RankedTensorType::get(frame, type.getElementType()));
  if (!tensor)
    return tensor;
  tensor->offset = first * pitch;
  tensor->shape[axis] = type.getDimSize(axis);
  tensor->strides[axis] = pitch;
  return tensor;
}

/// The operation that moves a ring on.
static nn::ShiftInOp shiftOf(BlockArgument old) {
  for (Operation *user : old.getUsers())
    if (auto shift = llvm::dyn_cast<nn::ShiftInOp>(user))
      if (shift.getOld() == old)
        return shift;
  return {};
}

/// The old value where the caller has it.
Result<Tensor> CallerBuffers::regionOf(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  auto bytes = bytesOf(s, argument, "an input");
  if (!bytes)
    return bytes.takeError();
  auto place = placeOfArgument(function, i);
  bool isRing = place && place->policy == nn::StatePolicy::Ring;
  storages[i] = s.storage(nameOf(function, true, i),
                          isRing ? ringBytes(*place, *bytes) : *bytes, 1,
                          regions.arguments[i]);
  return isRing ? framesIn(s, storages[i], typeOf(argument),
                           shiftOf(argument).getAxis(),
                           place->advance < 0 ? enteringFrames(*place) : 0,
                           place->pitch)
                : s.rowMajor(storages[i], typeOf(argument));
}

Status CallerBuffers::bindArgument(BlockArgument argument) {
  auto home = regionOf(argument);
  if (!home)
    return home.takeError();
  // What a ring keeps is loaded by the operator that moves it on.
  if (!s.away.contains(argument) && !isOfRing(function, argument)) {
    auto copy = s.allocate(
        nameOf(function, true, argument.getArgNumber()), typeOf(argument),
        s.channelsLast.contains(argument) ? Layout::ChannelsLast
                                          : Layout::RowMajor);
    if (!copy)
      return copy.takeError();
    if (Status status = s.copy(*home, *copy); !status)
      return status;
    home = copy;
  }
  s.bind(argument, *home);
  return Status::success();
}

Status CallerBuffers::bindArguments() {
  storages.resize(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (!isCounter(function, argument))
      if (Status status = bindArgument(argument); !status)
        return status;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Whether the value is handed on to the caller and read by no operator.
static bool isOnlyReturned(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Whether the value is one output and nothing else: its producer may write it
/// straight to the caller.
static bool isOutputAlone(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !value.hasOneUse() || !isOnlyReturned(value))
    return false;
  const LoweringRow *row = findLowering(producer->getName().getStringRef());
  return row && row->reach == Reach::Pieces;
}

/// A ring's new value, or more of it, ends with what enters behind the old one,
/// or begins with what enters before it.
Status CallerBuffers::bindRing(unsigned i, Buffer &buffer) {
  auto place = *placeOfResult(function, i);
  auto shift = buffer.value.getDefiningOp<nn::ShiftInOp>();
  RankedTensorType type = typeOf(buffer.value);
  auto axis = size_t(shift.getAxis());
  int64_t frames = place.rows + enteringFrames(place);
  int64_t first = place.advance < 0 ? 0 : frames - type.getDimSize(axis);
  auto home =
      framesIn(s, storages[*buffer.over], type, axis, first, place.pitch);
  if (!home)
    return home.takeError();
  buffer.home = s.rings[buffer.value] = *home;
  return Status::success();
}

/// Where a scatter writes rows of a state at a counter.
Status CallerBuffers::bindCache(const Buffer &buffer) {
  auto scatter = countedScatter(buffer.value);
  if (!scatter || !buffer.over ||
      nn::handedOn(scatter.getData()) != function.getArgument(*buffer.over))
    return Status::success();
  auto memory = s.rowMajor(buffer.home.storage, scatter.getResult().getType());
  if (!memory)
    return memory.takeError();
  s.caches[scatter.getResult()] = *memory;
  return Status::success();
}

Status CallerBuffers::bindResult(unsigned i) {
  Buffer buffer;
  buffer.value = results()[i];
  buffer.over = sharedArgument(function, i);
  auto bytes = bytesOf(s, buffer.value, "an output");
  if (!bytes)
    return bytes.takeError();
  auto place = placeOfResult(function, i);
  if (place && place->policy == nn::StatePolicy::Ring) {
    Status status = bindRing(i, buffer);
    buffers.push_back(std::move(buffer));
    return status;
  }
  Value storage = buffer.over ? storages[*buffer.over]
                              : s.storage(nameOf(function, false, i), *bytes, 1,
                                          regions.results[i]);
  auto home = s.rowMajor(storage, typeOf(buffer.value));
  if (!home)
    return home.takeError();
  buffer.home = *home;
  if (Status status = bindCache(buffer); !status)
    return status;
  if (!buffer.over && isOutputAlone(buffer.value))
    s.destinations[buffer.value] = storage;
  buffers.push_back(std::move(buffer));
  return Status::success();
}

Status CallerBuffers::bindResults() {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (Status status = bindResult(i); !status)
      return status;
  // Before anything is written over them.
  for (Buffer &buffer : buffers)
    if (llvm::isa<BlockArgument>(buffer.value))
      if (Status status = store(buffer); !status)
        return status;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Over old values
//===----------------------------------------------------------------------===//

static bool isView(Operation *op) {
  const LoweringRow *row = findLowering(op->getName().getStringRef());
  return row && row->reach == Reach::View;
}

bool tally::schedule::isReadLater(const Scheduler &s, Value value,
                                  ArrayRef<Operation *> now) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isView(user))
      return llvm::any_of(user->getResults(),
                          [&](Value view) { return isReadLater(s, view, {}); });
    // An argument that is a result was stored at first; a view of it was not.
    if (user->hasTrait<OpTrait::IsTerminator>())
      return !llvm::isa<BlockArgument>(value);
    return !s.lowered.contains(user) && !llvm::is_contained(now, user);
  });
}

void CallerBuffers::permit(Operation *op, ArrayRef<PiecewiseNode> chain) {
  SmallVector<Operation *> now = {op};
  bool isPointwise = llvm::all_of(
      chain, [](const PiecewiseNode &node) { return node.isPointwise(); });
  for (const PiecewiseNode &node : chain)
    if (isPointwise) {
      now.push_back(node.op);
      now.append(node.body.begin(), node.body.end());
    }
  for (Buffer &buffer : buffers)
    if (buffer.over && mayWrite(buffer, now) && isOutputAlone(buffer.value))
      s.destinations[buffer.value] = buffer.home.storage;
  for (const PiecewiseNode &node : chain)
    if (!isOutputAlone(node.result()))
      shareStores(node.result(), now);
}

/// Whether the operators that run now may write the buffer's value there: over
/// an old value only what is made index by index, when nobody reads that later.
bool CallerBuffers::mayWrite(const Buffer &buffer, ArrayRef<Operation *> now) {
  if (s.rings.contains(buffer.value))
    return false;
  if (!buffer.over)
    return true;
  return llvm::is_contained(now, buffer.value.getDefiningOp()) &&
         !isReadLater(s, function.getArgument(*buffer.over), now);
}

/// The value's pieces are stored wherever they may be; if that is all that it
/// is wanted for, the first of these places is its home.
void CallerBuffers::shareStores(Value value, ArrayRef<Operation *> now) {
  SmallVector<Tensor, 2> places;
  bool isStoredEverywhere = isOnlyReturned(value);
  for (const Buffer &buffer : buffers) {
    if (buffer.value != value)
      continue;
    if (mayWrite(buffer, now))
      places.push_back(buffer.home);
    else
      isStoredEverywhere = false;
  }
  if (places.empty())
    return;
  if (isStoredEverywhere) {
    s.destinations[value] = places.front().storage;
    places.erase(places.begin());
  }
  s.shared[value] = std::move(places);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

static std::string whyCopied(func::FuncOp function, unsigned result,
                             Value value) {
  if (std::string what = nn::whatIsHandedOn(function, result); !what.empty())
    return "copied: the value is " + what;
  return "copied: '" + nn::nodeName(value.getDefiningOp()) +
         "' makes it piece by piece, and others read it or the old value "
         "afterwards";
}

void CallerBuffers::markCopied(const Buffer &buffer) {
  auto result = unsigned(&buffer - buffers.begin());
  std::string why = whyCopied(function, result, buffer.value);
  buffer.home.storage.getDefiningOp()->setAttr(
      kCopied, StringAttr::get(function.getContext(), why));
}

/// Whether the operator that makes the value has stored it there.
bool CallerBuffers::isStoredByOperator(const Buffer &buffer) const {
  auto isThere = [&](const Tensor &place) {
    return place.storage == buffer.home.storage;
  };
  auto ring = s.rings.find(buffer.value);
  if (auto scatter = countedScatter(buffer.value))
    if (auto cache = s.caches.find(scatter.getResult());
        cache != s.caches.end() && isThere(cache->second))
      return true;
  return (ring != s.rings.end() && isThere(ring->second)) ||
         llvm::any_of(s.shared.lookup(buffer.value), isThere);
}

Status CallerBuffers::store(Buffer &buffer) {
  buffer.isStored = true;
  if (isStoredByOperator(buffer))
    return Status::success();
  auto from = s.home(buffer.value);
  if (!from)
    return from.takeError();
  if (from->storage == buffer.home.storage)
    return Status::success();
  if (from->isGlobal() || nn::handedOn(buffer.value))
    markCopied(buffer);
  return copyPieces(s, *from, buffer.home);
}

/// Whether another result has yet to be read from the memory of this one.
bool CallerBuffers::isWaitedFor(const Buffer &buffer) const {
  return llvm::any_of(buffers, [&](const Buffer &other) {
    if (&other == &buffer || other.isStored)
      return false;
    auto from = s.home(other.value);
    return from && from->storage == buffer.home.storage;
  });
}

Status CallerBuffers::storeResults() {
  // A result may be a view of a state's old value.
  auto next = [&](bool waits) {
    return llvm::find_if(buffers, [&](const Buffer &buffer) {
      return !buffer.isStored && (waits || !isWaitedFor(buffer));
    });
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto found = next(false);
    if (found == buffers.end())
      found = next(true);
    if (found == buffers.end())
      break;
    if (Status status = store(*found); !status)
      return status;
  }
  return Status::success();
}
