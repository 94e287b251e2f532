//===- Formula.cpp - timing formulas of the tables ------------------------===//
//
// Recursive descent into a tree:
//
//   sum     = product (('+' | '-') product)*
//   product = atom ('*' atom)*
//   atom    = number | name | '(' sum ')' | 'ceil' '(' sum '/' sum ')'
//           | 'max' '(' sum ',' sum ')' | 'if' '(' sum ',' sum ',' sum ')'
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Formula.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cctype>

using namespace tally;
using namespace tally::isa;

namespace tally::isa {

class FormulaParser {
public:
  explicit FormulaParser(std::string_view text) : text(text) {}

  Result<Formula> parse() {
    formula.root = sum();
    skip();
    if (isWrong || at < text.size()) {
      Diagnostic failure;
      failure.message = "formula '" + std::string(text) +
                        "' ends at character " + std::to_string(at);
      return failure;
    }
    return std::move(formula);
  }

private:
  using Operation = Formula::Operation;

  void skip() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  bool take(char wanted) {
    skip();
    if (at == text.size() || text[at] != wanted)
      return false;
    ++at;
    return true;
  }
  void expect(char wanted) { isWrong = !take(wanted) || isWrong; }

  uint32_t add(Formula::Node node) {
    formula.nodes.push_back(node);
    return uint32_t(formula.nodes.size() - 1);
  }
  uint32_t join(Operation operation, uint32_t a, uint32_t b, uint32_t c = 0) {
    return add({operation, 0, a, b, c});
  }

  uint32_t sum() {
    uint32_t left = product();
    while (!isWrong) {
      if (take('+'))
        left = join(Operation::Add, left, product());
      else if (take('-'))
        left = join(Operation::Sub, left, product());
      else
        break;
    }
    return left;
  }

  uint32_t product() {
    uint32_t left = atom();
    while (!isWrong && take('*'))
      left = join(Operation::Mul, left, atom());
    return left;
  }

  uint32_t atom() {
    if (take('(')) {
      uint32_t inner = sum();
      expect(')');
      return inner;
    }
    std::string_view word = nextWord();
    if (word.empty()) {
      isWrong = true;
      return 0;
    }
    if (std::isdigit(static_cast<unsigned char>(word[0])))
      return add({Operation::Number, std::stoll(std::string(word))});
    return take('(') ? call(word) : variable(word);
  }

  uint32_t call(std::string_view function) {
    uint32_t a = sum();
    expect(function == "ceil" ? '/' : ',');
    uint32_t b = sum(), c = 0;
    if (function == "if") {
      expect(',');
      c = sum();
    }
    expect(')');
    isWrong |= function != "ceil" && function != "max" && function != "if";
    return join(function == "ceil"  ? Operation::Ceil
                : function == "max" ? Operation::Max
                                    : Operation::If,
                a, b, c);
  }

  uint32_t variable(std::string_view name) {
    auto &names = formula.names;
    auto found = std::ranges::find(names, name);
    int64_t place = found - names.begin();
    if (found == names.end())
      names.emplace_back(name);
    return add({Operation::Name, place});
  }

  std::string_view nextWord() {
    skip();
    size_t begin = at;
    while (
        at < text.size() &&
        (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '.'))
      ++at;
    return text.substr(begin, at - begin);
  }

  std::string_view text;
  size_t at = 0;
  bool isWrong = false;
  Formula formula;
};

} // namespace tally::isa

Result<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).parse();
}

int64_t Formula::evaluate(std::span<const int64_t> values) const {
  return evaluate(root, values);
}

static int64_t saturated(bool overflows, int64_t result, bool isNegative) {
  if (!overflows)
    return result;
  return isNegative ? INT64_MIN : INT64_MAX;
}

int64_t Formula::evaluate(uint32_t place,
                          std::span<const int64_t> values) const {
  const Node &node = nodes[place];
  if (node.operation == Operation::Number)
    return node.number;
  if (node.operation == Operation::Name)
    return values[size_t(node.number)];
  int64_t a = evaluate(node.a, values);
  if (node.operation == Operation::If)
    return evaluate(a != 0 ? node.b : node.c, values);
  int64_t b = evaluate(node.b, values), result = 0;
  switch (node.operation) {
  case Operation::Add:
    return saturated(llvm::AddOverflow(a, b, result), result, a < 0);
  case Operation::Sub:
    return saturated(llvm::SubOverflow(a, b, result), result, a < 0);
  case Operation::Mul:
    return saturated(llvm::MulOverflow(a, b, result), result,
                     (a < 0) != (b < 0));
  case Operation::Ceil:
    return llvm::divideCeilSigned(a, b);
  default:
    return std::max(a, b);
  }
}
