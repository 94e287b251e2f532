//===- OnnxRules.cpp - the table of rules ---------------------------------===//

#include "tally/model/OnnxRules.h"

#include "tally/model/Model.h"

namespace tally::model {

static constexpr OnnxRuleText table[] = {
#define TALLY_ONNX_RULE(name, label, kind, says, hint)                         \
  {label, FailureKind::kind, says, hint},
    TALLY_ONNX_RULES(TALLY_ONNX_RULE)
#undef TALLY_ONNX_RULE
};

std::span<const OnnxRuleText> onnxRules() { return table; }

Diagnostic breaks(OnnxRule rule, std::string message, std::string_view node) {
  const OnnxRuleText &text = table[static_cast<size_t>(rule)];
  Diagnostic failure;
  failure.kind = text.kind;
  failure.message = std::move(message);
  failure.rule = text.label;
  failure.node = printable(node);
  failure.hint = text.hint;
  return failure;
}

} // namespace tally::model
