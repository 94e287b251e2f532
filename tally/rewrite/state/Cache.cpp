//===- Cache.cpp - a cache between its input and its output ---------------===//
//
//   past -> dequantize -> concat(., rows) -> quantize -> present
//
// Changes of the element may be missing; nothing else stands between.
//
//===----------------------------------------------------------------------===//

#include "tally/rewrite/state/Cache.h"
#include "tally/graph/Types.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;
using namespace tally::rewrite;

tally::Diagnostic tally::rewrite::cacheRefusal(FailureKind kind,
                                               const char *rule,
                                               const StatePair &pair,
                                               std::string message) {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = rule;
  failure.node = pair.input;
  failure.message = std::move(message);
  return failure;
}

static bool hasName(DictionaryAttr attributes, StringRef name) {
  auto found = attributes ? attributes.getAs<StringAttr>("nn.name") : nullptr;
  return found && found.getValue() == name;
}

static Result<unsigned> positionOf(const StatePair &pair, const char *what,
                                   const std::string &name, ArrayAttr lists) {
  for (unsigned i = 0; lists && i < lists.size(); ++i)
    if (hasName(cast<DictionaryAttr>(lists[i]), name))
      return i;
  return cacheRefusal(FailureKind::Usage, "STATE-5", pair,
                      std::string("there is no ") + what + " '" + name + "'");
}

Result<Cache> tally::rewrite::findCache(func::FuncOp function,
                                        const StatePair &pair) {
  Cache cache{.pair = pair};
  auto argument =
      positionOf(pair, "input", pair.input, function.getArgAttrsAttr());
  if (!argument)
    return argument.takeError();
  auto result =
      positionOf(pair, "output", pair.output, function.getResAttrsAttr());
  if (!result)
    return result.takeError();
  cache.argument = *argument;
  cache.result = *result;
  auto before = cast<RankedTensorType>(function.getArgumentTypes()[*argument]);
  auto after = cast<RankedTensorType>(function.getResultTypes()[*result]);
  bool fits = storageType(before).getElementType() ==
                  storageType(after).getElementType() &&
              before.getRank() == after.getRank();
  for (int64_t d = 0; fits && d < before.getRank(); ++d) {
    int64_t more = after.getDimSize(d) - before.getDimSize(d);
    if (more == 0)
      continue;
    fits = more > 0 && cache.enters == 0;
    cache.enters = more;
    cache.axis = d;
  }
  if (fits && cache.enters)
    return cache;
  tally::Diagnostic failure = cacheRefusal(
      FailureKind::Usage, "GROW-4", pair,
      "output '" + pair.output +
          "' is not this input with more rows along one dimension");
  failure.hint = "a state of one shape takes no :append and no :slide; of a "
                 "cache, bind the dimension of the output's rows to more than "
                 "the input's";
  return failure;
}

/// What changes the element alone, of one operand.
static bool isElementChange(Operation *op) {
  return isa<StorageCastOp, DequantizeOp, QuantizeOp, CastOp>(op);
}

static tally::Diagnostic noConcat(const Cache &cache) {
  return cacheRefusal(
      FailureKind::Unsupported, "GROW-5", cache.pair,
      "output '" + cache.pair.output +
          "' is not this input with rows behind it, or something "
          "else reads the input");
}

Status tally::rewrite::findOperations(func::FuncOp function, Cache &cache) {
  Value value = function.getArgument(cache.argument);
  while (value.hasOneUse() && isElementChange(*value.getUsers().begin())) {
    cache.before.push_back(*value.getUsers().begin());
    value = cache.before.back()->getResult(0);
  }
  if (!value.hasOneUse())
    return noConcat(cache);
  cache.concat = dyn_cast<ConcatOp>(*value.getUsers().begin());
  bool isFirst = cache.concat && cache.concat.getInputs().front() == value &&
                 static_cast<int64_t>(cache.concat.getAxis()) == cache.axis;
  if (!isFirst)
    return noConcat(cache);
  Operation *end = function.getBody().front().getTerminator();
  Value next = end->getOperand(cache.result);
  while (next != cache.concat.getOutput()) {
    Operation *op = next.getDefiningOp();
    if (!op || !isElementChange(op))
      return noConcat(cache);
    cache.after.insert(cache.after.begin(), op);
    next = op->getOperand(0);
  }
  return Status::success();
}
