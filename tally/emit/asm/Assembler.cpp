//===- Assembler.cpp - programs as text -----------------------------------===//
//
// Two passes over the lines. The first gives every statement its section and
// offset, and so every label; what has a size takes it from its directive and
// the number of its operands. The second turns instructions and data to bytes.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/asm/Assembler.h"
#include "tally/emit/asm/Directives.h"
#include "tally/emit/asm/ParseInstruction.h"
#include "tally/emit/encode/Encode.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

using namespace tally;
using namespace tally::isa;

/// How to write a number that the immediate does not hold, as a hint.
static std::string otherWay(const Instruction &instruction,
                            const machine::Machine &machine) {
  if (checkOperands(instruction))
    return {};
  switch (instruction.opcode) {
  case Opcode::Addi:
    return "load larger numbers with lui and addi";
  case Opcode::CfgI:
    return "load the value with lui and addi, and write cfg.r";
  case Opcode::WaitGe:
    return machine.sync.scalarThresholds
               ? "load the threshold with lui and addi, and write wait.ge.r"
               : "";
  default:
    return {};
  }
}

namespace {

/// What has bytes: an instruction or data.
struct Statement {
  Line line;
  std::string word; ///< mnemonic or directive, taken off the line
  uint32_t number = 0;
  int64_t space = kTextSpace, offset = 0;
};

class Assembler {
public:
  Assembler(const machine::Machine &machine, const std::string &file)
      : machine(machine) {
    program.sourceFile = file;
  }

  /// On failure, `number` is the line.
  Status readLine(std::string_view text, uint32_t number) {
    Result<Line> split = Line::split(text);
    if (!split)
      return split.takeError();
    while (split->startsWithLabel())
      if (Status status = define(*split, number); !status)
        return status;
    if (split->atEnd())
      return Status::success();
    Token first = split->take();
    if (first.kind != Token::Word)
      return asmFailure("ASM-1", "a line begins with a word, not with '" +
                                     first.text + "'");
    return readStatement(std::move(*split), first.text, number);
  }

  Status encodeAll(uint32_t &number) {
    for (Statement &statement : statements) {
      number = statement.number;
      Status status = statement.word.front() == '.'
                          ? encodeData(statement)
                          : encodeInstruction(statement);
      if (!status)
        return status;
    }
    return Status::success();
  }

  Result<Program> finish() {
    closeNode();
    Places places;
    for (const auto &[name, place] : labels)
      places.insert({place.space, place.offset});
    for (const auto &[name, place] : labels)
      if (!name.starts_with(".L"))
        program.symbols.push_back(
            {name, place.space, place.offset, sizeOf(place, places)});
    std::ranges::sort(program.symbols, {}, [](const Symbol &symbol) {
      return std::tuple(symbol.space, symbol.offset, symbol.name, symbol.bytes);
    });
    Requirements needs = requirementsOf(program.text, machine);
    needs.sramBytes = stated.sramBytes.value_or(needs.sramBytes);
    needs.accumulatorBytes =
        stated.accumulatorBytes.value_or(needs.accumulatorBytes);
    program.requirements = std::move(needs);
    joinStates(program);
    if (Status status = checkProgram(program); !status)
      return status.takeError();
    return std::move(program);
  }

private:
  int64_t &size() {
    return section == kTextSpace         ? textBytes
           : section == kConstantsRegion ? constantBytes
                                         : contextBytes;
  }

  Status define(Line &line, uint32_t number) {
    std::string name = line.take().text;
    line.takeSign(":");
    if (!isLabel(name))
      return asmFailure("ASM-1", "'" + name + "' is no label");
    auto [label, isNew] =
        labels.insert({name, LabelPlace{section, size(), number}});
    if (!isNew)
      return asmFailure("ASM-4", "label '" + name + "' is defined on line " +
                                     std::to_string(label->second.line) +
                                     ", too");
    return Status::success();
  }

  Status readStatement(Line line, const std::string &word, uint32_t number) {
    if (word.front() != '.') {
      if (section != kTextSpace)
        return asmFailure("ASM-5", "instructions stand behind .text");
      statements.push_back({std::move(line), word, number, section, size()});
      size() += kInstructionBytes;
      return Status::success();
    }
    if (std::optional<int64_t> space = sectionOf(word)) {
      section = *space;
      return expectEnd(line);
    }
    if (word == ".node" || word == ".endnode")
      return readNode(line, word);
    if (isData(word))
      return readData(std::move(line), word, number);
    if (Status status = readDirective(word, line, {machine, program, stated});
        !status)
      return status;
    return expectEnd(line);
  }

  Status readNode(Line &line, const std::string &word) {
    closeNode();
    if (word == ".node") {
      node = NodeRange{textBytes / kInstructionBytes, 0, line.take().text};
      if (node->name.empty())
        return asmFailure("ASM-5", ".node needs a name");
    }
    return expectEnd(line);
  }

  void closeNode() {
    if (!node)
      return;
    node->count = textBytes / kInstructionBytes - node->first;
    if (node->count > 0)
      program.nodes.push_back(*node);
    node.reset();
  }

  Status readData(Line line, const std::string &word, uint32_t number) {
    if (section == kTextSpace && word != ".word")
      return asmFailure("ASM-5",
                        "'" + word + "' stands behind .constants or .context");
    Result<int64_t> bytes = dataBytes(word, line, size());
    if (!bytes)
      return bytes.takeError();
    if (*bytes > kMaxSection - size())
      return asmFailure("ASM-5", "the section has more than " +
                                     std::to_string(kMaxSection) + " bytes");
    statements.push_back({std::move(line), word, number, section, size()});
    size() += *bytes;
    return Status::success();
  }

  Status encodeInstruction(Statement &statement) {
    Result<Instruction> instruction = parseInstruction(
        statement.word, statement.line, {machine, labels, statement.offset});
    if (!instruction)
      return instruction.takeError();
    if (Status status = expectEnd(statement.line); !status)
      return status;
    if (Status status = checkFor(*instruction, machine); !status) {
      Diagnostic failure = status.takeError();
      failure.hint = otherWay(*instruction, machine);
      return failure;
    }
    program.lines.push_back({int64_t(program.text.size()), statement.number});
    program.text.push_back(*encode(*instruction));
    return Status::success();
  }

  Status encodeData(Statement &statement) {
    std::vector<uint8_t> bytes;
    if (Status status = dataValues(statement.word, statement.line, labels,
                                   statement.offset, bytes);
        !status)
      return status;
    if (statement.space == kTextSpace) {
      for (size_t at = 0; at + 4 <= bytes.size(); at += 4)
        program.text.push_back(bytes[at] | bytes[at + 1] << 8 |
                               bytes[at + 2] << 16 |
                               uint32_t(bytes[at + 3]) << 24);
      return Status::success();
    }
    std::vector<uint8_t> &section = statement.space == kConstantsRegion
                                        ? program.constants
                                        : program.context;
    section.insert(section.end(), bytes.begin(), bytes.end());
    return Status::success();
  }

  static Status expectEnd(const Line &line) {
    if (line.atEnd())
      return Status::success();
    return asmFailure("ASM-3", "'" + line.peek().text +
                                   "' is more than the line can have");
  }

  using Places = std::set<std::pair<int64_t, int64_t>>; ///< space, offset

  /// Bytes from a label of data to the next one or to the section's end.
  int64_t sizeOf(const LabelPlace &place, const Places &places) const {
    if (place.space == kTextSpace)
      return 0;
    auto next = places.upper_bound({place.space, place.offset});
    int64_t end = next != places.end() && next->first == place.space
                      ? next->second
                  : place.space == kConstantsRegion ? constantBytes
                                                    : contextBytes;
    return end - place.offset;
  }

  const machine::Machine &machine;
  Program program;
  StatedNeeds stated;
  Labels labels;
  std::vector<Statement> statements;
  int64_t section = kTextSpace;
  int64_t textBytes = 0, constantBytes = 0, contextBytes = 0;
  std::optional<NodeRange> node;
};

} // namespace

/// The failure of a line, or of the program where the line is 0.
static Diagnostic atLine(Diagnostic failure, uint32_t number,
                         const std::string &file) {
  failure.file = file;
  if (number > 0)
    failure.message = "line " + std::to_string(number) + ": " + failure.message;
  return failure;
}

Result<Program> tally::isa::assemble(std::string_view text,
                                     const machine::Machine &machine,
                                     const std::string &file) {
  Assembler assembler(machine, file);
  uint32_t number = 0;
  llvm::StringRef rest(text.data(), text.size());
  while (!rest.empty()) {
    auto [line, behind] = rest.split('\n');
    ++number;
    if (Status status = assembler.readLine({line.data(), line.size()}, number);
        !status)
      return atLine(status.takeError(), number, file);
    rest = behind;
  }
  if (Status status = assembler.encodeAll(number); !status)
    return atLine(status.takeError(), number, file);
  Result<Program> program = assembler.finish();
  if (!program)
    return atLine(program.takeError(), 0, file);
  return program;
}
