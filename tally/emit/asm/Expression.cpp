//===- Expression.cpp - numbers in assembly -------------------------------===//

#include "tally/emit/asm/Expression.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace tally;
using namespace tally::isa;

std::optional<int64_t> tally::isa::numberOf(std::string_view word) {
  int64_t value = 0;
  llvm::StringRef text(word.data(), word.size());
  if (text.empty() || !llvm::isDigit(text[0]))
    return std::nullopt;
  if (llvm::to_integer(text, value, text.starts_with("0x") ? 0 : 10))
    return value;
  // Words of data are also written as unsigned numbers.
  uint64_t bits = 0;
  if (llvm::to_integer(text, bits, text.starts_with("0x") ? 0 : 10))
    return int64_t(bits);
  return std::nullopt;
}

/// The words and signs up to ')' as one decimal number's f32 bits.
static Result<int64_t> takeFloat(Line &line) {
  std::string text;
  while (!line.atEnd() && line.peek().text != ")")
    text += line.take().text;
  llvm::APFloat value(llvm::APFloat::IEEEsingle());
  auto status =
      value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return asmFailure("ASM-1", "'" + text + "' is no decimal number");
  }
  return int64_t(value.bitcastToAPInt().getZExtValue());
}

static Result<int64_t> takeCall(Line &line, const Labels &labels,
                                unsigned depth);

static Result<int64_t> takeTerm(Line &line, const Labels &labels,
                                unsigned depth) {
  if (line.takeSign("%"))
    return takeCall(line, labels, depth);
  Token token = line.take();
  if (token.kind == Token::Word) {
    if (std::optional<int64_t> number = numberOf(token.text))
      return *number;
    if (auto label = labels.find(token.text); label != labels.end())
      return label->second.offset;
    if (isLabel(token.text))
      return asmFailure("ASM-4", "label '" + token.text + "' is not defined");
  }
  return asmFailure("ASM-1", token.text.empty()
                                 ? "the line ends where a number is expected"
                                 : "'" + token.text +
                                       "' stands where a number is expected");
}

static Result<int64_t> takeSum(Line &line, const Labels &labels,
                               unsigned depth) {
  uint64_t sum = 0;
  bool minus = line.takeSign("-");
  for (;;) {
    Result<int64_t> term = takeTerm(line, labels, depth);
    if (!term)
      return term;
    sum = minus ? sum - uint64_t(*term) : sum + uint64_t(*term);
    minus = line.takeSign("-");
    if (!minus && !line.takeSign("+"))
      return int64_t(sum);
  }
}

/// Behind '%'. Calls nest at most 8 deep.
static Result<int64_t> takeCall(Line &line, const Labels &labels,
                                unsigned depth) {
  std::string function = line.take().text;
  bool known = function == "hi" || function == "lo" || function == "f32";
  if (!known || !line.takeSign("(") || depth == 8)
    return asmFailure("ASM-1", "%hi(...), %lo(...) or %f32(...) is meant, at "
                               "most 8 in one another");
  Result<int64_t> value =
      function == "f32" ? takeFloat(line) : takeSum(line, labels, depth + 1);
  if (!value)
    return value;
  if (!line.takeSign(")"))
    return asmFailure("ASM-1", "%" + function + "( has no ')'");
  if (function == "hi")
    return int64_t((uint32_t(*value) + 0x800u) >> 12);
  return function == "lo" ? llvm::SignExtend64<12>(uint64_t(*value)) : *value;
}

Result<int64_t> tally::isa::takeExpression(Line &line, const Labels &labels) {
  return takeSum(line, labels, 0);
}
