//===- Grow.cpp - caches that get rows in each call -----------------------===//
//
// With n rows there, of a capacity of 4, and one that enters:
//
//   Append   past [a b . .]  n = 2   present [a b x .]   a scatter at n
//   Slide    past [. a b]    n = 2   all [. a b x], present [a b x]
//
// The scatter is in place like any other (InPlace.cpp), what slides is a ring
// (Ring.cpp); a target that has neither keeps two slots. Codes may lie between
// cache and graph: past -> dequantize -> concat -> quantize -> present. The
// rows that enter go the same way to the cache alone, and what reads the
// concatenation reads the old rows dequantized, or, where the new ones were
// codes of that grid, the new cache.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/Grow.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/CleanUp.h"
#include "tally/rewrite/state/Cache.h"
#include "tally/rewrite/state/RowMask.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
class Grower {
public:
  Grower(func::FuncOp function, Grown grown, Growth growth)
      : function(function), grown(std::move(grown)), growth(growth) {}
  Status add(const StatePair &pair);
  Result<RowCount> run();

private:
  Status checkSizes();
  void addCount();
  void replaceCounts();
  void append(Cache &cache);
  void slide(Cache &cache);
  Value placesOf(OpBuilder &builder, Location location, RankedTensorType rows,
                 int64_t axis);
  Value withRows(OpBuilder &builder, Location location, int64_t axis,
                 Value data, Value rows);
  Value throughOperations(OpBuilder &builder, ArrayRef<Operation *> ops,
                          Value value);
  Value number(int64_t value);
  Value boundOfRows();
  void removeUnused();

  func::FuncOp function;
  Grown grown;
  const Growth growth;
  std::vector<Cache> caches;
  int64_t enters = 0, most = 0; ///< rows; those before a call
  Value count;                  ///< how many rows are there, tensor<1xi64>
};
} // namespace

Result<int64_t> tally::rewrite::grownAxis(func::FuncOp function,
                                          const StatePair &pair) {
  auto cache = findCache(function, pair);
  if (!cache)
    return cache.takeError();
  return cache->axis;
}

Status Grower::add(const StatePair &pair) {
  auto found = findCache(function, pair);
  if (!found)
    return found.takeError();
  Cache &cache = caches.emplace_back(std::move(*found));
  int64_t rows =
      typeOf(function.getArgument(cache.argument)).getDimSize(cache.axis);
  if (caches.size() == 1) {
    enters = cache.enters;
    most = rows;
  }
  if (cache.enters != enters || rows != most)
    return cacheRefusal(
        FailureKind::Usage, "GROW-4", pair,
        "gets " + std::to_string(cache.enters) + " rows to " +
            std::to_string(rows) + ", '" + caches.front().pair.input + "' " +
            std::to_string(enters) + " to " + std::to_string(most));
  return findOperations(function, cache);
}

/// GROW-6 for tensors that have entries for some of the rows only.
Status Grower::checkSizes() {
  for (auto &[value, axis] : grown.axes) {
    int64_t size = typeOf(value).getDimSize(axis);
    bool isOld = llvm::any_of(caches, [&, value = value](const Cache &cache) {
      return value == function.getArgument(cache.argument) ||
             llvm::is_contained(cache.before, value.getDefiningOp());
    });
    bool isAligned = size == most + enters ||
                     (size == most && growth == Growth::Slide) || isOld;
    if (isAligned)
      continue;
    Operation *op = value.getDefiningOp();
    tally::Diagnostic failure =
        cacheRefusal(FailureKind::Unsupported, "GROW-6", caches.front().pair,
                     "'" + (op ? nodeName(op) : tensorName(value).str()) +
                         "' has " + std::to_string(size) + " of " +
                         std::to_string(most + enters) + " rows");
    failure.hint =
        "if it is a cache, too, name it with --state as well; --state "
        "proposed:append takes all of a model's";
    return failure;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The number of rows
//===----------------------------------------------------------------------===//

static Value constantOf(OpBuilder &builder, Location location,
                        const eval::Tensor &tensor) {
  Type element = nn::typeOf(builder.getContext(), tensor.element);
  return ConstantOp::create(builder, location,
                            RankedTensorType::get(tensor.shape, element),
                            elementsAttr(builder.getContext(), tensor, "rows"));
}

static eval::Tensor filled(eval::Shape shape, eval::Element element,
                           int64_t value) {
  eval::Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.element = element;
  tensor.allocate();
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    eval::storeInt(tensor, i, value);
  return tensor;
}

static Location locationOf(MLIRContext *context, StringRef name) {
  return nodeLocation(context, name, "State", {});
}

Value Grower::number(int64_t value) {
  OpBuilder builder(&function.getBody().front(),
                    function.getBody().front().begin());
  return constantOf(builder, count.getLoc(),
                    filled({1}, eval::Element::I64, value));
}

void Grower::addCount() {
  MLIRContext *context = function.getContext();
  std::string name = caches.front().pair.input + ".rows";
  Builder builder(context);
  auto type = RankedTensorType::get({1}, builder.getIntegerType(64));
  auto attributes = [&](const std::string &text) {
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("nn.name", builder.getStringAttr(text))});
  };
  unsigned argument = function.getNumArguments();
  (void)function.insertArgument(argument, type, attributes(name),
                                locationOf(context, name));
  count = function.getArgument(argument);
  Operation *end = function.getBody().front().getTerminator();
  Value more = number(enters);
  OpBuilder at(end);
  Value next = AddOp::create(at, count.getLoc(), type, count, more);
  if (growth == Growth::Slide)
    next = MinOp::create(at, count.getLoc(), TypeRange(type),
                         ValueRange{next, number(most)});
  (void)function.insertResult(function.getNumResults(), type,
                              attributes(name + ".next"));
  end->insertOperands(end->getNumOperands(), next);
}

/// A constant that counts rows is computed: its value for `most` rows, and
/// `step` less for each that is not there.
void Grower::replaceCounts() {
  for (auto &[value, step] : grown.counts) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Location location = value.getLoc();
    auto type = typeOf(value);
    auto one = RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1),
                                     builder.getIntegerType(64));
    Value fewer =
        SubOp::create(builder, location, count.getType(), count, number(most));
    fewer = ReshapeOp::create(builder, location, one, fewer,
                              builder.getDenseI64ArrayAttr(one.getShape()));
    if (type.getElementType() != one.getElementType())
      fewer = CastOp::create(builder, location,
                             one.clone(type.getElementType()), fewer);
    Value steps = constantOf(builder, location, step);
    Value change = MulOp::create(builder, location, type, steps, fewer);
    auto sum = AddOp::create(builder, location, type, value, change);
    value.replaceAllUsesExcept(sum.getResult(), sum);
  }
}

//===----------------------------------------------------------------------===//
// The caches
//===----------------------------------------------------------------------===//

/// Clones of `ops`, of one operand each, from `value` on; their types keep the
/// element.
Value Grower::throughOperations(OpBuilder &builder, ArrayRef<Operation *> ops,
                                Value value) {
  for (Operation *op : ops) {
    IRMapping map;
    map.map(op->getOperand(0), value);
    Operation *copy = builder.clone(*op, map);
    auto type = typeOf(copy->getResult(0));
    copy->getResult(0).setType(
        type.clone(typeOf(value).getShape(), type.getElementType()));
    value = copy->getResult(0);
  }
  return value;
}

/// Index tuples of the rows that enter, behind those that are there: one for
/// each index of the dimensions up to `axis`.
Value Grower::placesOf(OpBuilder &builder, Location location,
                       RankedTensorType rows, int64_t axis) {
  eval::Shape shape(rows.getShape().begin(),
                    rows.getShape().begin() + axis + 1);
  shape.push_back(axis + 1);
  eval::Tensor base = filled(shape, eval::Element::I64, 0);
  eval::Shape strides = eval::stridesOf(rows.getShape().take_front(axis + 1));
  for (int64_t i = 0, e = base.count(); i < e; ++i) {
    int64_t tuple = i / (axis + 1), d = i % (axis + 1);
    eval::storeInt(base, i, tuple / strides[d] % shape[d]);
  }
  eval::Tensor unit = filled({axis + 1}, eval::Element::I64, 0);
  eval::storeInt(unit, axis, 1);
  Value first = constantOf(builder, location, base);
  Value step = constantOf(builder, location, unit);
  Value offset = MulOp::create(builder, location, step.getType(), step, count);
  return AddOp::create(builder, location, first.getType(), first, offset);
}

/// The only operation of `ops` that is no change of type alone, or null.
static Operation *onlyChange(ArrayRef<Operation *> ops) {
  Operation *found = nullptr;
  for (Operation *op : ops) {
    if (isa<StorageCastOp>(op))
      continue;
    if (found)
      return nullptr;
    found = op;
  }
  return found;
}

/// The codes that `rows` are, when they are codes of the grid on which the
/// cache is kept: to quantize them again would give the same.
static Value codesOf(const Cache &cache, Value rows) {
  auto read = dyn_cast_or_null<DequantizeOp>(onlyChange(cache.before));
  auto write = dyn_cast_or_null<QuantizeOp>(onlyChange(cache.after));
  auto made = rows.getDefiningOp<DequantizeOp>();
  if (!read || !write || !made)
    return {};
  Type grid = typeOf(read.getInput()).getElementType();
  bool isSame = typeOf(write.getOutput()).getElementType() == grid &&
                typeOf(made.getInput()).getElementType() == grid;
  return isSame ? made.getInput() : Value();
}

/// What enters, as one tensor.
static Value entering(ConcatOp concat, int64_t rows) {
  OperandRange values = concat.getInputs().drop_front();
  if (values.size() == 1)
    return values.front();
  SmallVector<int64_t> shape(concat.getType().getShape());
  shape[concat.getAxis()] = rows;
  OpBuilder builder(concat);
  return ConcatOp::create(builder, concat.getLoc(),
                          concat.getType().clone(shape), values,
                          concat.getAxis());
}

/// The bytes of `value` under another element.
static Value castTo(OpBuilder &builder, Location location, Value value,
                    Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return StorageCastOp::create(builder, location, typeOf(value).clone(element),
                               value);
}

/// `data` with `rows` behind those that are there; nn.scatter_nd knows no
/// codes.
Value Grower::withRows(OpBuilder &builder, Location location, int64_t axis,
                       Value data, Value rows) {
  Type element = typeOf(data).getElementType();
  Type plain = storageElement(element);
  Location quiet = withOutputs(location, {});
  data = castTo(builder, quiet, data, plain);
  rows = castTo(builder, quiet, rows, plain);
  Value places = placesOf(builder, quiet, typeOf(rows), axis);
  auto scatter = ScatterNdOp::create(builder, location, data.getType(), data,
                                     places, rows, "none");
  return castTo(builder, quiet, scatter, element);
}

void Grower::append(Cache &cache) {
  ConcatOp concat = cache.concat;
  Location location = concat.getLoc(), quiet = withOutputs(location, {});
  OpBuilder builder(concat);
  Operation *end = function.getBody().front().getTerminator();
  Value old = function.getArgument(cache.argument);
  Value next = end->getOperand(cache.result);
  Type plain = typeOf(old).getElementType();
  Type element = typeOf(next).getElementType();
  Value rows = entering(concat, enters);
  Value codes = codesOf(cache, rows);
  Value written = codes ? codes : throughOperations(builder, cache.after, rows);
  // The input is as large as the output now.
  grown.axes.erase(old);
  old.setType(typeOf(next).clone(plain));
  Value made = withRows(builder, location, cache.axis,
                        castTo(builder, quiet, old, element), written);
  Value all = made;
  if (codes)
    all = throughOperations(builder, cache.before,
                            castTo(builder, quiet, made, plain));
  else if (!cache.before.empty() || !cache.after.empty())
    all = withRows(builder, location, cache.axis,
                   throughOperations(builder, cache.before, old), rows);
  grown.axes[made] = grown.axes[all] = cache.axis;
  next.replaceAllUsesWith(made);
  concat.getOutput().replaceAllUsesWith(all);
}

void Grower::slide(Cache &cache) {
  Operation *end = function.getBody().front().getTerminator();
  Value next = end->getOperand(cache.result);
  auto whole = typeOf(next);
  SmallVector<int64_t> starts(whole.getRank(), 0), sizes(whole.getShape()),
      steps(whole.getRank(), 1);
  starts[cache.axis] = enters;
  sizes[cache.axis] = most;
  OpBuilder builder(end);
  Value last = SliceOp::create(
      builder, cache.concat.getLoc(), whole.clone(sizes), next,
      builder.getDenseI64ArrayAttr(starts), builder.getDenseI64ArrayAttr(sizes),
      builder.getDenseI64ArrayAttr(steps));
  end->setOperand(cache.result, last);
}

/// FromFront: rows after the call; FromBack: those in front that are missing.
Value Grower::boundOfRows() {
  OpBuilder builder(&function.getBody().front(),
                    function.getBody().front().begin());
  Location location = count.getLoc();
  bool isAppended = growth == Growth::Append;
  Value other =
      constantOf(builder, location,
                 filled({1}, eval::Element::I64, isAppended ? enters : most));
  if (isAppended)
    return AddOp::create(builder, location, count.getType(), count, other);
  return SubOp::create(builder, location, count.getType(), other, count);
}

/// What the caches' operations leave behind; `grown` forgets it.
void Grower::removeUnused() {
  removeDead(function);
  Block &body = function.getBody().front();
  llvm::DenseMap<Value, int64_t> axes;
  auto keep = [&](Value value) {
    if (int64_t axis = grown.axisOf(value); axis >= 0)
      axes[value] = axis;
  };
  llvm::for_each(body.getArguments(), keep);
  for (Operation &op : body)
    llvm::for_each(op.getResults(), keep);
  grown.axes = std::move(axes);
}

Result<RowCount> Grower::run() {
  if (Status status = checkSizes(); !status)
    return status.takeError();
  addCount();
  replaceCounts();
  if (growth == Growth::Append)
    for (Cache &cache : caches)
      append(cache);
  removeUnused();
  Rows rows{most + enters,
            growth == Growth::Append ? RowOrder::FromFront : RowOrder::FromBack,
            boundOfRows()};
  if (Status status = maskRows(function, grown, rows); !status)
    return status.takeError();
  if (growth == Growth::Slide)
    for (Cache &cache : caches)
      slide(cache);
  Operation *end = function.getBody().front().getTerminator();
  function.setType(FunctionType::get(
      function.getContext(), function.getBody().front().getArgumentTypes(),
      end->getOperandTypes()));
  removeDead(function);
  std::string name = caches.front().pair.input + ".rows";
  return RowCount{{name + ".next", name}, most};
}

Result<RowCount> tally::rewrite::growCaches(ModuleOp module, ModuleOp less,
                                            ModuleOp least, ModuleOp few,
                                            int64_t fewer,
                                            const std::vector<StatePair> &pairs,
                                            Growth growth) {
  auto functionOf = [](ModuleOp module) {
    return module.lookupSymbol<func::FuncOp>("main");
  };
  auto order =
      growth == Growth::Append ? RowOrder::FromFront : RowOrder::FromBack;
  removeDead(functionOf(module));
  auto grown = findGrown(functionOf(module), functionOf(less),
                         functionOf(least), functionOf(few), fewer, order);
  if (!grown)
    return grown.takeError();
  Grower grower(functionOf(module), std::move(*grown), growth);
  for (const StatePair &pair : pairs)
    if (Status status = grower.add(pair); !status)
      return status.takeError();
  return grower.run();
}
