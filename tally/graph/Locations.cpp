//===- Locations.cpp - the model's own names on operations ----------------===//

#include "tally/graph/Locations.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

static DictionaryAttr metadata(Location location) {
  if (auto fused = dyn_cast<FusedLocWith<DictionaryAttr>>(location))
    return fused.getMetadata();
  return {};
}

static StringRef entry(Operation *op, StringRef key) {
  if (DictionaryAttr data = metadata(op->getLoc()))
    if (auto text = data.getAs<StringAttr>(key))
      return text.getValue();
  return {};
}

Location tally::nn::nodeLocation(MLIRContext *context, StringRef node,
                                 StringRef opType,
                                 ArrayRef<std::string> outputs) {
  Builder builder(context);
  SmallVector<StringRef> names(outputs.begin(), outputs.end());
  DictionaryAttr data = builder.getDictionaryAttr(
      {builder.getNamedAttr("node", builder.getStringAttr(node)),
       builder.getNamedAttr("op", builder.getStringAttr(opType)),
       builder.getNamedAttr("outputs", builder.getStrArrayAttr(names))});
  return FusedLoc::get(context, {builder.getUnknownLoc()}, data);
}

std::string tally::nn::nodeName(Operation *op) {
  StringRef name = entry(op, "node");
  return name.empty() ? op->getName().getStringRef().str() : name.str();
}

StringRef tally::nn::nodeOpType(Operation *op) { return entry(op, "op"); }

StringRef tally::nn::tensorName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function)
      return {};
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      "nn.name");
    return name ? name.getValue() : StringRef();
  }
  auto result = cast<OpResult>(value);
  DictionaryAttr data = metadata(result.getOwner()->getLoc());
  auto names = data ? data.getAs<ArrayAttr>("outputs") : ArrayAttr();
  if (!names || result.getResultNumber() >= names.size())
    return {};
  return cast<StringAttr>(names[result.getResultNumber()]).getValue();
}

Location tally::nn::withOutputs(Location location,
                                ArrayRef<std::string> outputs) {
  DictionaryAttr data = metadata(location);
  if (!data)
    return location;
  auto text = [&](StringRef key) {
    auto value = data.getAs<StringAttr>(key);
    return value ? value.getValue() : StringRef();
  };
  return nodeLocation(location.getContext(), text("node"), text("op"), outputs);
}
