//===- Line.cpp - one line of assembly ------------------------------------===//

#include "tally/emit/asm/Line.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace tally;
using namespace tally::isa;

Diagnostic tally::isa::asmFailure(const char *rule, std::string message,
                                  std::string hint) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '/' ||
         c == '@';
}

/// The string that begins at text[at], a double quote; `at` moves behind it.
static Result<std::string> takeString(std::string_view text, size_t &at) {
  std::string value;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\') {
      value += text[at];
      continue;
    }
    // \\ and \" stand for the character, \hh for the byte of that number.
    std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('\\') || rest.starts_with('"')) {
      value += rest[0];
      at += 1;
    } else if (rest.size() >= 2 && llvm::isHexDigit(rest[0]) &&
               llvm::isHexDigit(rest[1])) {
      value += char(16 * llvm::hexDigitValue(rest[0]) +
                    llvm::hexDigitValue(rest[1]));
      at += 2;
    } else {
      return asmFailure("ASM-1", "a backslash stands before \\, \" or two "
                                 "hexadecimal digits");
    }
  }
  if (at >= text.size())
    return asmFailure("ASM-1", "the string has no end");
  ++at;
  return value;
}

Result<Line> Line::split(std::string_view text) {
  Line line;
  for (size_t at = 0; at < text.size() && text[at] != '#';) {
    char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '"') {
      Result<std::string> string = takeString(text, at);
      if (!string)
        return string.takeError();
      line.tokens.push_back({Token::String, std::move(*string)});
    } else if (isWordCharacter(c)) {
      size_t begin = at;
      while (at < text.size() && isWordCharacter(text[at]))
        ++at;
      line.tokens.push_back(
          {Token::Word, std::string(text.substr(begin, at - begin))});
    } else if (std::string_view(",:()%+-").find(c) != std::string_view::npos) {
      line.tokens.push_back({Token::Sign, std::string(1, c)});
      ++at;
    } else {
      return asmFailure("ASM-1", "the character " + quoted(std::string(1, c)) +
                                     " is none of the language");
    }
  }
  return line;
}

const Token &Line::peek() const {
  static const Token end{Token::Sign, ""};
  return atEnd() ? end : tokens[next];
}

Token Line::take() {
  Token token = peek();
  if (!atEnd())
    ++next;
  return token;
}

bool Line::takeSign(const char *sign) {
  if (atEnd() || !isSign(0, sign))
    return false;
  ++next;
  return true;
}

std::string tally::isa::quoted(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, isWordCharacter))
    return std::string(text);
  std::string string = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      (string += '\\') += c;
    else if (c < 0x20 || c > 0x7e)
      string += "\\" + llvm::toHex(llvm::StringRef(&c, 1));
    else
      string += c;
  }
  return string + "\"";
}

bool tally::isa::isLabel(std::string_view text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         std::ranges::all_of(text, isWordCharacter);
}
