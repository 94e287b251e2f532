//===- ParseInstruction.cpp - an instruction from its text ----------------===//

#include "tally/emit/asm/ParseInstruction.h"
#include "tally/emit/isa/Command.h"
#include "tally/emit/program/Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tally;
using namespace tally::isa;
using machine::EngineKind;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
struct SpaceName {
  std::string_view name;
  int64_t space;
};
} // namespace

static constexpr SpaceName kSpaces[] = {
    {"constants", kConstantsRegion}, {"arena", kArenaRegion},
    {"context", kContextRegion},     {"sram", kSram},
    {"acc", kAccumulators},          {"text", kTextSpace},
};

std::optional<int64_t> tally::isa::spaceOf(std::string_view word) {
  for (const SpaceName &each : kSpaces)
    if (each.name == word)
      return each.space;
  return numberOf(word);
}

std::string tally::isa::spaceText(int64_t space) {
  for (const SpaceName &each : kSpaces)
    if (each.space == space)
      return std::string(each.name);
  return std::to_string(space);
}

static std::optional<int64_t> typeOf(std::string_view word) {
  for (machine::ElementType type : machine::allElementTypes)
    if (machine::elementTypeName(type) == word)
      return int64_t(type);
  return std::nullopt;
}

/// "reduce.max": a command, a dot, and its function.
static std::optional<int64_t> functionOf(std::string_view word) {
  size_t dot = word.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  const CommandInfo *command =
      findCommand(EngineKind::Vector, word.substr(0, dot));
  const FunctionInfo *function =
      command ? findFunction(command->code, word.substr(dot + 1)) : nullptr;
  return function ? std::optional(function->number) : std::nullopt;
}

/// A name in place of a staged field's number, by the field's unit.
static std::optional<int64_t> symbolicValue(const FieldInfo &field,
                                            std::string_view word) {
  if (field.unit == "type")
    return typeOf(word);
  if (field.unit == "space")
    return spaceOf(word);
  return field.unit == "function" ? functionOf(word) : std::nullopt;
}

/// The known name that differs least from `word`, as a hint.
template <typename Names>
static std::string nearest(std::string_view word, const Names &names) {
  llvm::StringRef text(word.data(), word.size());
  unsigned best = 3;
  std::string found;
  for (std::string_view name : names)
    if (unsigned distance = text.edit_distance(
            llvm::StringRef(name.data(), name.size()), true, best);
        distance < best) {
      best = distance;
      found = "did you mean '" + std::string(name) + "'?";
    }
  return found;
}

/// "types: i8, u8, ...".
static std::string typeNames() {
  std::string names;
  for (machine::ElementType type : machine::allElementTypes)
    names += (names.empty() ? "types: " : ", ") +
             std::string(machine::elementTypeName(type));
  return names;
}

/// Refuses a word that can only be meant as a type or as "float.add".
static Status refuseMisspelt(const FieldInfo &field, const std::string &word) {
  size_t dot = word.find('.');
  auto refuse = [&](const std::string &hint) {
    return asmFailure("ASM-2",
                      "field '" + std::string(field.name) + "' has no " +
                          std::string(field.unit) + " '" + word + "'",
                      hint);
  };
  if (field.unit == "type" && llvm::isAlpha(word.front()))
    return refuse(typeNames());
  const CommandInfo *command =
      field.unit == "function" && dot != std::string::npos
          ? findCommand(EngineKind::Vector, word.substr(0, dot))
          : nullptr;
  if (!command)
    return Status::success();
  std::vector<std::string> names;
  for (const FunctionInfo &each : allFunctions())
    if (each.command == command->code)
      names.push_back(word.substr(0, dot + 1) + std::string(each.name));
  return refuse(nearest(word, names));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {

class Parser {
public:
  Parser(Line &line, const InstructionPlace &place, Instruction &instruction)
      : line(line), place(place), instruction(instruction) {}

  Result<int64_t> operand(const OperandInfo &info) {
    switch (info.kind) {
    case OperandKind::Rd:
    case OperandKind::Rs1:
    case OperandKind::Rs2:
      return numbered('x', "a scalar register, as x5,");
    case OperandKind::Sync:
      return numbered('s', "a synchronization register, as s0,");
    case OperandKind::Queue:
      return queue();
    case OperandKind::Field:
      return field();
    case OperandKind::Command:
      return command();
    case OperandKind::Offset:
      return offset();
    case OperandKind::Immediate:
      return immediate();
    }
    return 0;
  }

private:
  Result<int64_t> numbered(char prefix, const char *what) {
    Token token = line.take();
    if (token.kind == Token::Word && token.text.front() == prefix)
      if (std::optional<int64_t> number =
              numberOf(std::string_view(token.text).substr(1)))
        return *number;
    return asmFailure("ASM-3", std::string(what) + " is expected, not '" +
                                   token.text + "'");
  }

  Result<int64_t> queue() {
    std::string word = line.take().text;
    if (std::optional<uint32_t> number = place.machine.findQueue(word))
      return int64_t(*number);
    std::vector<std::string_view> names;
    names.reserve(place.machine.queues.size());
    for (const machine::Queue &queue : place.machine.queues)
      names.push_back(queue.name);
    return asmFailure("ASM-2",
                      "machine '" + place.machine.name + "' has no queue '" +
                          word + "'",
                      nearest(word, names));
  }

  EngineKind kind() const {
    return place.machine
        .engineOf(uint32_t(instruction.operand(OperandKind::Queue)))
        .kind;
  }

  Result<int64_t> field() {
    std::string word = line.take().text;
    if (std::optional<uint32_t> number = findField(kind(), word))
      return int64_t(*number);
    std::vector<std::string_view> names;
    for (const FieldInfo &each : allFields(kind()))
      names.push_back(each.name);
    return asmFailure("ASM-2",
                      "a " + std::string(engineKindName(kind())) +
                          " engine has no field '" + word + "'",
                      nearest(word, names));
  }

  Result<int64_t> command() {
    std::string word = line.take().text;
    if (const CommandInfo *info = findCommand(kind(), word))
      return int64_t(info->code);
    std::vector<std::string_view> names;
    for (const CommandInfo &each : allCommands())
      if (each.kind == kind())
        names.push_back(each.name);
    return asmFailure("ASM-2",
                      "a " + std::string(engineKindName(kind())) +
                          " engine has no command '" + word + "'",
                      nearest(word, names));
  }

  /// A label is a target, a number a distance.
  Result<int64_t> offset() {
    auto label = place.labels.find(line.peek().text);
    bool isTarget = label != place.labels.end();
    if (isTarget && label->second.space != kTextSpace)
      return asmFailure("ASM-3",
                        "'" + label->first + "' is no place in the text");
    Result<int64_t> value = takeExpression(line, place.labels);
    return value && isTarget ? Result<int64_t>(*value - place.pc)
                             : std::move(value);
  }

  Result<int64_t> immediate() {
    if (instruction.opcode == Opcode::CfgI) {
      const FieldInfo &info =
          allFields(kind())[size_t(instruction.operand(OperandKind::Field))];
      if (std::optional<int64_t> value =
              symbolicValue(info, line.peek().text)) {
        line.take();
        return *value;
      }
      const Token &word = line.peek();
      if (word.kind == Token::Word && !place.labels.contains(word.text))
        if (Status status = refuseMisspelt(info, word.text); !status)
          return status.takeError();
    }
    return takeExpression(line, place.labels);
  }

  Line &line;
  const InstructionPlace &place;
  Instruction &instruction;
};

} // namespace

static Diagnostic expected(const std::string &mnemonic, const char *sign) {
  return asmFailure("ASM-3", "'" + mnemonic + "' takes other operands: '" +
                                 sign + "' is expected");
}

/// "rd, imm(rs1)": the third operand stands before the second.
static Status parseMemory(Parser &parser, Line &line,
                          Instruction &instruction) {
  std::span<const OperandInfo> operands = instruction.info().operands();
  std::string mnemonic(instruction.info().mnemonic);
  constexpr size_t order[] = {0, 2, 1};
  constexpr const char *signs[] = {",", "(", ")"};
  for (size_t i = 0; i < 3; ++i) {
    Result<int64_t> value = parser.operand(operands[order[i]]);
    if (!value)
      return value.takeError();
    instruction.operands[order[i]] = *value;
    if (!line.takeSign(signs[i]))
      return expected(mnemonic, signs[i]);
  }
  return Status::success();
}

static Status parseList(Parser &parser, Line &line, Instruction &instruction) {
  std::span<const OperandInfo> operands = instruction.info().operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    // go's scalar operands may be left out: x0.
    if (instruction.opcode == Opcode::Go && i >= 2 && line.atEnd())
      break;
    if (i > 0 && !line.takeSign(","))
      return expected(std::string(instruction.info().mnemonic), ",");
    Result<int64_t> value = parser.operand(operands[i]);
    if (!value)
      return value.takeError();
    instruction.operands[i] = *value;
  }
  return Status::success();
}

Result<Instruction>
tally::isa::parseInstruction(const std::string &mnemonic, Line &line,
                             const InstructionPlace &place) {
  std::optional<Opcode> opcode = findMnemonic(mnemonic);
  if (!opcode) {
    std::vector<std::string_view> names;
    for (const InstructionInfo &info : allInstructions())
      names.push_back(info.mnemonic);
    return asmFailure("ASM-2", "there is no instruction '" + mnemonic + "'",
                      nearest(mnemonic, names));
  }
  Instruction instruction{*opcode};
  Parser parser(line, place, instruction);
  Format format = instruction.info().format;
  Status status = format == Format::Load || format == Format::Store
                      ? parseMemory(parser, line, instruction)
                      : parseList(parser, line, instruction);
  if (!status)
    return status.takeError();
  return instruction;
}
