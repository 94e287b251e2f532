//===- NpyHeader.cpp - the dictionary in front of the data ----------------===//
//
// A recursive-descent reader of just the literals that the format allows:
// quoted strings without escapes, True/False, tuples of non-negative integers.
// Anything else is refused with the offset where reading stopped. Linear in
// the length of the text. Format: "numpy.lib.format", section "Format
// Version 1.0".
//
//===----------------------------------------------------------------------===//

#include "tally/support/NpyHeader.h"

#include <algorithm>
#include <charconv>

using namespace tally;

namespace {

/// Rank NumPy 2 allows.
constexpr size_t maxRank = 64;

struct TypeRow {
  NpyType type;
  std::string_view code; ///< without the byte-order character
  std::string_view name;
  int64_t size; ///< bytes
};

constexpr TypeRow typeTable[] = {
    {NpyType::Bool, "b1", "bool", 1},   {NpyType::I8, "i1", "int8", 1},
    {NpyType::I16, "i2", "int16", 2},   {NpyType::I32, "i4", "int32", 4},
    {NpyType::I64, "i8", "int64", 8},   {NpyType::U8, "u1", "uint8", 1},
    {NpyType::U16, "u2", "uint16", 2},  {NpyType::U32, "u4", "uint32", 4},
    {NpyType::U64, "u8", "uint64", 8},  {NpyType::F16, "f2", "float16", 2},
    {NpyType::F32, "f4", "float32", 4}, {NpyType::F64, "f8", "float64", 8},
};

const TypeRow &rowOf(NpyType type) { return typeTable[size_t(type)]; }

Diagnostic failure(const char *rule, std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = FailureKind::Model;
  diagnostic.message = std::move(message);
  diagnostic.rule = rule;
  return diagnostic;
}

/// Reads the text from left to right; each reader skips blanks first.
class Cursor {
public:
  explicit Cursor(std::string_view text) : text(text) {}

  bool accept(char c) {
    skipBlanks();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  bool acceptWord(std::string_view word) {
    skipBlanks();
    if (!text.substr(position).starts_with(word))
      return false;
    position += word.size();
    return true;
  }

  std::optional<std::string_view> string() {
    skipBlanks();
    char quote = position < text.size() ? text[position] : '\0';
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find_first_of("'\"\\", position + 1);
    if (end == text.npos || text[end] != quote)
      return std::nullopt;
    std::string_view content = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return content;
  }

  /// A decimal integer that fits 63 bits, with Python 2's 'L' tolerated.
  std::optional<int64_t> integer() {
    skipBlanks();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data() + position,
                                        text.data() + text.size(), value);
    if (error != std::errc() || value < 0)
      return std::nullopt;
    position = size_t(end - text.data());
    acceptWord("L");
    return value;
  }

  bool atEnd() {
    skipBlanks();
    return position == text.size();
  }

  Diagnostic expected(const char *what) {
    return failure("NPY-HEADER-2",
                   std::string("expected ") + what + " at offset " +
                       std::to_string(position) + " of the header");
  }

private:
  void skipBlanks() {
    position = std::min(text.find_first_not_of(" \t\n", position), text.size());
  }

  std::string_view text;
  size_t position = 0;
};

class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : cursor(text) {}

  Result<NpyHeader> read() {
    if (!cursor.accept('{'))
      return cursor.expected("'{'");
    while (!cursor.accept('}')) {
      if (Status status = readEntry(); !status)
        return status.takeError();
      if (cursor.accept(','))
        continue;
      if (!cursor.accept('}'))
        return cursor.expected("',' or '}'");
      break;
    }
    if (!cursor.atEnd())
      return cursor.expected("nothing after '}'");
    if (!haveType || !haveOrder || !haveShape)
      return failure("NPY-HEADER-2", "the header lacks one of 'descr', "
                                     "'fortran_order' and 'shape'");
    return header;
  }

private:
  Status readEntry() {
    std::optional<std::string_view> key = cursor.string();
    if (!key)
      return cursor.expected("a quoted key");
    if (!cursor.accept(':'))
      return cursor.expected("':'");
    if (*key == "descr" && !std::exchange(haveType, true))
      return readType();
    if (*key == "fortran_order" && !std::exchange(haveOrder, true))
      return readOrder();
    if (*key == "shape" && !std::exchange(haveShape, true))
      return readShape();
    return failure("NPY-HEADER-2", "unknown or repeated key '" +
                                       std::string(*key) + "' in the header");
  }

  Status readType() {
    std::optional<std::string_view> descr = cursor.string();
    if (!descr || descr->empty())
      return unsupportedType(descr ? *descr : "a structure");
    const TypeRow *row = std::find_if(
        std::begin(typeTable), std::end(typeTable),
        [&](const TypeRow &r) { return r.code == descr->substr(1); });
    if (row == std::end(typeTable))
      return unsupportedType(*descr);
    char order = (*descr)[0];
    if (order != '<' && order != '>' && !(order == '|' && row->size == 1))
      return unsupportedType(*descr);
    header.dtype = row->type;
    header.bigEndian = order == '>';
    return Status::success();
  }

  static Diagnostic unsupportedType(std::string_view descr) {
    Diagnostic diagnostic =
        failure("NPY-DTYPE-1",
                "element type " + std::string(descr) + " is not supported");
    diagnostic.kind = FailureKind::Unsupported;
    diagnostic.hint = "convert with NumPy's astype() to bool, int8 to int64, "
                      "uint8 to uint64 or float16 to float64";
    return diagnostic;
  }

  Status readOrder() {
    header.columnMajor = cursor.acceptWord("True");
    if (!header.columnMajor && !cursor.acceptWord("False"))
      return cursor.expected("True or False");
    return Status::success();
  }

  Status readShape() {
    if (!cursor.accept('('))
      return cursor.expected("'('");
    while (!cursor.accept(')')) {
      std::optional<int64_t> dim = cursor.integer();
      if (!dim)
        return cursor.expected("a dimension from 0 to 2^63 - 1");
      header.shape.push_back(*dim);
      if (header.shape.size() > maxRank)
        return failure("NPY-SHAPE-1", "the shape has more than " +
                                          std::to_string(maxRank) +
                                          " dimensions");
      if (cursor.accept(','))
        continue;
      if (!cursor.accept(')'))
        return cursor.expected("',' or ')'");
      break;
    }
    return Status::success();
  }

  Cursor cursor;
  NpyHeader header;
  bool haveType = false, haveOrder = false, haveShape = false;
};

} // namespace

int64_t tally::npyTypeSize(NpyType type) { return rowOf(type).size; }

std::string_view tally::npyTypeName(NpyType type) { return rowOf(type).name; }

Result<NpyHeader> tally::parseNpyHeader(std::string_view text) {
  return HeaderReader(text).read();
}

std::string tally::printNpyHeader(NpyType dtype,
                                  std::span<const int64_t> shape) {
  std::string dims;
  for (int64_t dim : shape)
    dims += std::to_string(dim) + ", ";
  // Python: (), (3,), (2, 3)
  if (shape.size() == 1)
    dims.pop_back();
  else if (shape.size() > 1)
    dims.resize(dims.size() - 2);
  const TypeRow &row = rowOf(dtype);
  return std::string("{'descr': '") + (row.size == 1 ? "|" : "<") +
         std::string(row.code) + "', 'fortran_order': False, 'shape': (" +
         dims + "), }";
}
