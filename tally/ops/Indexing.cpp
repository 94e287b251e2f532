//===- Indexing.cpp - rules shared by operators with run-time indices -----===//

#include "tally/ops/Indexing.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static std::optional<eval::UpdateKind> findKind(StringRef name) {
  using eval::UpdateKind;
  return llvm::StringSwitch<std::optional<UpdateKind>>(name)
      .Case("none", UpdateKind::Replace)
      .Case("add", UpdateKind::Add)
      .Case("mul", UpdateKind::Mul)
      .Case("min", UpdateKind::Min)
      .Case("max", UpdateKind::Max)
      .Default(std::nullopt);
}

bool tally::nn::isUpdateKind(StringRef name) {
  return findKind(name).has_value();
}

eval::UpdateKind tally::nn::updateKind(StringRef reduction) {
  return *findKind(reduction);
}

LogicalResult tally::nn::checkIndexed(MaybeLocation location, Value data,
                                      Value indices) {
  Type element = elementType(indices);
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return reject(location, "INDEX-1",
                  "indices of type " + typeText(element) +
                      " are neither int32 nor int64");
  if (isa<UniformQuantizedPerAxisType>(elementType(data)))
    return reject(location, "INDEX-3",
                  "cannot index " + typeText(data.getType()) +
                      ", whose grid is not one per tensor");
  return success();
}

LogicalResult tally::nn::checkNotEmpty(MaybeLocation location, Value data,
                                       int64_t axis) {
  if (shapeOf(data)[axis] > 0)
    return success();
  return reject(location, "INDEX-2",
                "dimension " + Twine(axis) + " of " + shapeText(shapeOf(data)) +
                    " has no index");
}

LogicalResult tally::nn::checkUpdates(MaybeLocation location, Value data,
                                      Value updates, StringRef reduction) {
  Type element = elementType(data);
  bool isSame = element == elementType(updates) && !isa<QuantizedType>(element);
  if (isSame && (reduction == "none" || !element.isInteger(1)))
    return success();
  return reject(location, "SCATTER-2",
                "cannot update elements of type " + typeText(element) + " by " +
                    typeText(elementType(updates)) + " with reduction " +
                    reduction);
}
