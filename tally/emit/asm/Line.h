//===- Line.h - one line of assembly ----------------------------*- C++ -*-===//

#ifndef TALLY_EMIT_ASM_LINE_H
#define TALLY_EMIT_ASM_LINE_H

#include "tally/support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tally::isa {

/// A word (letters, digits and _ . $ / @), a string in double quotes without
/// them, or one of the characters , : ( ) % + -.
struct Token {
  enum Kind { Word, String, Sign } kind = Word;
  std::string text;
};

/// The tokens of one line up to its comment (#), read from left to right.
class Line {
public:
  /// ASM-1: a character outside of the language, or a string without an end.
  static Result<Line> split(std::string_view text);

  bool atEnd() const { return next == tokens.size(); }
  bool startsWithLabel() const {
    return tokens.size() - next >= 2 && isWord(0) && isSign(1, ":");
  }
  /// The next token; an empty sign at the end.
  const Token &peek() const;
  Token take();
  bool takeSign(const char *sign);

private:
  bool isWord(size_t ahead) const {
    return tokens[next + ahead].kind == Token::Word;
  }
  bool isSign(size_t ahead, const char *sign) const {
    return tokens[next + ahead].kind == Token::Sign &&
           tokens[next + ahead].text == sign;
  }
  std::vector<Token> tokens;
  size_t next = 0;
};

/// A failure of kind Model without file and line.
Diagnostic asmFailure(const char *rule, std::string message,
                      std::string hint = {});

/// Text as a string of the language, a word where it is one.
std::string quoted(std::string_view text);
/// Whether text can stand as a label.
bool isLabel(std::string_view text);

} // namespace tally::isa

#endif // TALLY_EMIT_ASM_LINE_H
