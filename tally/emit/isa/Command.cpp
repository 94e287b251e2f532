//===- Command.cpp - the tables of commands and functions -----------------===//

#include "tally/emit/isa/Command.h"

#include <algorithm>

using namespace tally::isa;
using tally::machine::EngineKind;

static constexpr CommandInfo kCommands[] = {
#define TALLY_COMMAND(kind, id, code, name, cycles, reads, writes, meaning)    \
  {CommandCode::id, EngineKind::kind, name, cycles, reads, writes, meaning},
#include "tally/emit/isa/Commands.def"
};

std::span<const CommandInfo> tally::isa::allCommands() { return kCommands; }

const CommandInfo *tally::isa::findCommand(int64_t code) {
  const auto *found = std::ranges::find(
      kCommands, code, [](const CommandInfo &c) { return int64_t(c.code); });
  return found == std::end(kCommands) ? nullptr : found;
}

const CommandInfo *tally::isa::findCommand(EngineKind kind,
                                           std::string_view name) {
  const auto *found =
      std::ranges::find_if(kCommands, [&](const CommandInfo &command) {
        return command.kind == kind && command.name == name;
      });
  return found == std::end(kCommands) ? nullptr : found;
}

namespace {
struct FunctionRow {
  Function function;
  CommandCode command;
  std::string_view name;
  int arity, slow;
  std::string_view meaning;
};
} // namespace

static constexpr FunctionRow kRows[] = {
#define TALLY_FUNCTION(command, id, name, arity, slow, meaning)                \
  {Function::id, CommandCode::Vector##command, name, arity, slow, meaning},
#include "tally/emit/isa/Functions.def"
};

static std::vector<FunctionInfo> numberFunctions() {
  std::vector<FunctionInfo> all;
  for (const FunctionRow &row : kRows)
    all.push_back({row.function, row.command,
                   std::ranges::count(all, row.command, &FunctionInfo::command),
                   row.name, row.arity, row.slow, row.meaning});
  return all;
}

std::span<const FunctionInfo> tally::isa::allFunctions() {
  static const std::vector<FunctionInfo> all = numberFunctions();
  return all;
}

const FunctionInfo *tally::isa::findFunction(CommandCode command,
                                             int64_t number) {
  for (const FunctionInfo &function : allFunctions())
    if (function.command == command && function.number == number)
      return &function;
  return nullptr;
}

const FunctionInfo *tally::isa::findFunction(CommandCode command,
                                             std::string_view name) {
  for (const FunctionInfo &function : allFunctions())
    if (function.command == command && function.name == name)
      return &function;
  return nullptr;
}
