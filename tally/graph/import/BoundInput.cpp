//===- BoundInput.cpp - an input whose value is known ---------------------===//

#include "tally/graph/import/BoundInput.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tally;
using llvm::StringRef;

static tally::Diagnostic misfit(const model::ValueInfo &input,
                                std::string message, std::string hint) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = "IMP-12";
  failure.node = model::printable(input.name);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static std::optional<int64_t> integerOf(StringRef text,
                                        const model::ValueInfo &input,
                                        eval::Element element) {
  if (element == eval::Element::Bool && (text == "true" || text == "false"))
    return text == "true";
  int64_t value = 0;
  if (text.getAsInteger(10, value))
    return std::nullopt;
  unsigned bits = model::elementBits(input.type);
  bool isNarrow = model::isInteger(input.type) && bits < 8;
  int64_t levels = int64_t(1) << (isNarrow ? bits : 1);
  bool isSigned = model::isSignedInteger(input.type);
  int64_t low = isNarrow ? (isSigned ? -levels / 2 : 0) : minValue(element);
  int64_t high = isNarrow ? low + levels - 1 : maxValue(element);
  return value < low || value > high ? std::nullopt : std::optional(value);
}

/// Stores one number; false when `text` is none of the element's type.
static bool store(eval::Tensor &tensor, int64_t i, StringRef text,
                  const model::ValueInfo &input) {
  if (!eval::isFloat(tensor.element)) {
    auto value = integerOf(text, input, tensor.element);
    if (value)
      eval::storeInt(tensor, i, *value);
    return value.has_value();
  }
  double value = 0;
  if (text.getAsDouble(value) || !std::isfinite(value))
    return false;
  eval::storeFloat(tensor, i, value);
  return std::isfinite(eval::loadFloat(tensor, i));
}

Result<eval::Tensor> tally::nn::boundTensor(const model::ValueInfo &input,
                                            const eval::Tensor &like,
                                            const std::string &text) {
  llvm::SmallVector<StringRef> numbers;
  StringRef(text).split(numbers, ',');
  std::string type(elementTypeName(input.type));
  auto count = static_cast<int64_t>(numbers.size());
  if (count != like.count())
    return misfit(input,
                  "--bind gives " + std::to_string(count) +
                      " numbers to an input of " +
                      std::to_string(like.count()) + " elements",
                  "write one number for each element, with commas between");
  eval::Tensor tensor = like;
  tensor.allocate();
  for (int64_t i = 0; i < count; ++i)
    if (!store(tensor, i, numbers[i], input))
      return misfit(input,
                    "'" + numbers[i].str() + "' is no " + type + " value",
                    "the input '" + model::printable(input.name) + "' holds " +
                        type + " elements");
  return tensor;
}
