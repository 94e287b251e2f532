//===- Text.cpp - names from files, made fit for messages -----------------===//
//
// One decoder of UTF-8 serves both questions: is the text well formed, and
// where are the bytes that a message must not contain as they are.
//
//===----------------------------------------------------------------------===//

#include "tally/model/Model.h"

#include <algorithm>

namespace tally::model {

/// Length in bytes of the well-formed character at `text[at]`, or 0. The
/// bounds of the second byte shut out overlong forms, surrogates and what is
/// past U+10FFFF (Unicode 15, table 3-7).
static size_t characterLength(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(at);
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() - at < length)
    return 0;
  unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(at + 1) < low || byte(at + 1) > high)
    return 0;
  for (size_t i = 2; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80)
      return 0;
  return length;
}

bool isUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t length = characterLength(text, at);
    if (length == 0)
      return false;
    at += length;
  }
  return true;
}

/// C0 and C1 control characters and DEL, which can steer a terminal.
static bool isControl(std::string_view character) {
  auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

static void appendEscaped(std::string &out, std::string_view bytes) {
  static constexpr char digits[] = "0123456789ABCDEF";
  for (unsigned char byte : bytes) {
    out += "\\x";
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
}

static std::string escape(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t length = characterLength(text, at);
    std::string_view character = text.substr(at, std::max<size_t>(length, 1));
    if (length == 0 || character == "\\" || isControl(character))
      appendEscaped(out, character);
    else
      out += character;
    at += character.size();
  }
  return out;
}

/// Moves `at` down to where a character starts, at most 3 bytes.
static size_t characterStart(std::string_view text, size_t at) {
  size_t start = at;
  while (start > 0 && at - start < 3 &&
         (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80)
    --start;
  return start;
}

std::string printable(std::string_view text, size_t limit) {
  if (text.size() <= limit)
    return escape(text);
  size_t headEnd = characterStart(text, limit / 2);
  size_t tailStart = characterStart(text, text.size() - limit / 2);
  return escape(text.substr(0, headEnd)) + "..." +
         escape(text.substr(tailStart));
}

} // namespace tally::model
