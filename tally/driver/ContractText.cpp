//===- ContractText.cpp - contract records for people and programs --------===//

#include "tally/driver/ContractText.h"
#include "tally/quant/UnaryBlockBytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <utility>

using namespace tally;
using namespace tally::nn;
using quant::BlockField;

static llvm::StringRef ref(std::string_view text) { return text; }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string specialText(const SpecialValue &special) {
  std::string text = "(" + llvm::join(special.operands, ", ") + ") -> " +
                     std::string(special.result);
  if (!special.on.empty())
    text += " on " + std::string(special.on) + "s";
  return text;
}

/// "(1x2: nan 1) -> (1x2: nan nan) {axis = 1 : i64}".
static std::string exampleText(const TensorExample &example) {
  std::string text = "(" + llvm::join(example.operands, "; ") + ") -> (" +
                     llvm::join(example.results, "; ") + ")";
  if (!example.attributes.empty())
    text += " " + std::string(example.attributes);
  if (!example.on.empty())
    text += " on " + std::string(example.on) + "s";
  return text;
}

/// "down before 0, up from there on", "up".
static std::string piecesText(const CourseText &course) {
  std::string text;
  for (size_t i = 0; i < course.pieces.size(); ++i) {
    text += (i ? ", " : "") + std::string(course.pieces[i]);
    if (i < course.turns.size())
      text += " before " + std::string(course.turns[i]);
    else if (i > 0)
      text += " from there on";
  }
  return text;
}

static std::string courseText(const CourseText &course, bool isFirst) {
  std::string when = course.condition.empty()
                         ? (isFirst ? "" : "else ")
                         : "where " + std::string(course.condition) + ": ";
  return when + piecesText(course) + "; values in [" + std::string(course.low) +
         ", " + std::string(course.high) + "]";
}

static std::string fieldType(const BlockField &field) {
  return (field.isSigned ? "i" : "u") + std::to_string(field.bits);
}

/// "M" is told by the real that it and its shift stand for.
static std::string derivedText(const DerivedField &derived) {
  llvm::StringRef field = derived.field;
  std::string left = field.str();
  if (field == "M" || field.ends_with(".M") || field == "B" ||
      field.ends_with(".B"))
    left += " / 2^" + (field.drop_back(1) + "S").str();
  llvm::StringRef half = field.ends_with("B") ? "1/2 + " : "";
  return left + " = " + half.str() + std::string(derived.value);
}

static void printBlock(llvm::raw_ostream &os, const BlockContract &block) {
  os << "    " << blockKindName(block.kind) << " (tag " << int(block.kind)
     << "): " << blockFormula(block.kind) << "\n";
  bool isRepeated = false;
  for (const BlockField &field : quant::blockFields(block.kind)) {
    if (field.stride && !std::exchange(isRepeated, true))
      os << "      to the end, every "
         << (field.stride == 1 ? "byte"
                               : std::to_string(field.stride) + " bytes")
         << ":\n";
    os << "      byte " << llvm::format_decimal(field.offset, 2) << "  "
       << llvm::left_justify(fieldType(field), 4)
       << llvm::left_justify(field.name, 10) << field.meaning << "\n";
  }
  for (const DerivedField &derived : block.derived)
    if (derived.field != derived.value) // z1 is z1
      os << "      " << derivedText(derived) << "\n";
}

static void printCourse(llvm::raw_ostream &os, const Contract &contract) {
  if (contract.courses.empty()) {
    os << "  monotone: " << contract.monotone << "\n  range: " << contract.range
       << "\n";
    return;
  }
  os << "  course:\n";
  for (const CourseText &course : contract.courses)
    os << "    " << courseText(course, &course == contract.courses.data())
       << "\n";
}

static void printSpecials(llvm::raw_ostream &os, const Contract &contract) {
  os << "  special values: " << contract.specialNote << "\n";
  for (const SpecialValue &special : contract.specials)
    os << "    " << specialText(special) << "\n";
  for (const TensorExample &example : contract.examples)
    os << "    " << exampleText(example) << "\n";
}

/// `line` in lines of at most 80 columns; what is broken off continues four
/// columns to the right.
static std::string wrapped(llvm::StringRef line) {
  std::string indent(line.find_first_not_of(' ') + 4, ' ');
  std::string result, rest = line.rtrim().str();
  while (rest.size() > 80) {
    size_t at = rest.rfind(' ', 80);
    if (at == std::string::npos || at < indent.size())
      break;
    result += rest.substr(0, at) + "\n";
    rest = indent + rest.substr(at + 1);
  }
  return result + rest + "\n";
}

std::string tally::contractText(const Contract &contract) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "  elements: " << contract.elements << "\n";
  if (!contract.rules.empty())
    os << "  rules:\n";
  for (const ContractRule &rule : contract.rules)
    os << "    " << rule.label << "  " << rule.text << "\n";
  printSpecials(os, contract);
  printCourse(os, contract);
  os << "  result grid: " << resultGridName(contract.resultGrid)
     << (contract.gridNote.empty() ? "" : "; ") << contract.gridNote << "\n";
  if (!contract.blocks.empty())
    os << "  parameter blocks, the first that fits:\n";
  for (const BlockContract &block : contract.blocks)
    printBlock(os, block);
  std::string lines;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n'))
    lines += wrapped(line);
  return lines;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeWords(llvm::json::OStream &os, const char *key,
                       const std::vector<std::string_view> &words) {
  os.attributeArray(key, [&] {
    for (std::string_view word : words)
      os.value(ref(word));
  });
}

static void writeSpecial(llvm::json::OStream &os, const SpecialValue &special) {
  os.object([&] {
    writeWords(os, "operands", special.operands);
    os.attribute("result", ref(special.result));
    os.attribute("on", ref(special.on));
  });
}

static void writeExample(llvm::json::OStream &os,
                         const TensorExample &example) {
  os.object([&] {
    writeWords(os, "operands", example.operands);
    writeWords(os, "results", example.results);
    os.attribute("attributes", ref(example.attributes));
    os.attribute("on", ref(example.on));
  });
}

static void writeCourse(llvm::json::OStream &os, const CourseText &course) {
  os.object([&] {
    os.attribute("condition", ref(course.condition));
    writeWords(os, "pieces", course.pieces);
    writeWords(os, "turns", course.turns);
    os.attribute("low", ref(course.low));
    os.attribute("high", ref(course.high));
  });
}

static void writeField(llvm::json::OStream &os, const BlockField &field) {
  os.object([&] {
    os.attribute("name", field.name);
    os.attribute("offset", field.offset);
    os.attribute("bits", field.bits);
    os.attribute("signed", field.isSigned);
    os.attribute("stride", field.stride);
    os.attribute("meaning", field.meaning);
  });
}

static void writeBlock(llvm::json::OStream &os, const BlockContract &block) {
  os.object([&] {
    os.attribute("kind", ref(blockKindName(block.kind)));
    os.attribute("tag", int(block.kind));
    os.attribute("formula", ref(blockFormula(block.kind)));
    os.attributeArray("fields", [&] {
      for (const BlockField &field : quant::blockFields(block.kind))
        writeField(os, field);
    });
    os.attributeArray("derived", [&] {
      for (const DerivedField &derived : block.derived)
        os.object([&] {
          os.attribute("field", ref(derived.field));
          os.attribute("equation", derivedText(derived));
        });
    });
  });
}

template <typename List, typename Fn>
static void writeList(llvm::json::OStream &os, const char *key,
                      const List &list, Fn write) {
  os.attributeArray(key, [&] {
    for (const auto &entry : list)
      write(os, entry);
  });
}

void tally::writeContractFields(llvm::json::OStream &os,
                                const Contract &contract) {
  os.attribute("elements", ref(contract.elements));
  os.attributeArray("rules", [&] {
    for (const ContractRule &rule : contract.rules)
      os.object([&] {
        os.attribute("label", ref(rule.label));
        os.attribute("text", ref(rule.text));
      });
  });
  writeList(os, "special_values", contract.specials, writeSpecial);
  writeList(os, "examples", contract.examples, writeExample);
  os.attribute("special_note", ref(contract.specialNote));
  writeList(os, "courses", contract.courses, writeCourse);
  os.attribute("monotone", ref(contract.monotone));
  os.attribute("range", ref(contract.range));
  os.attribute("result_grid", ref(resultGridName(contract.resultGrid)));
  os.attribute("grid_note", ref(contract.gridNote));
  writeList(os, "blocks", contract.blocks, writeBlock);
}
