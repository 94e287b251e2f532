//===- CommandLine.cpp - the arguments of one command ---------------------===//

#include "tally/driver/CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using llvm::StringRef;

namespace tally::option {
namespace {
#define OPTTABLE_STR_TABLE_CODE
#include "tally/driver/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "tally/driver/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

using llvm::opt::DefaultVis;
using llvm::opt::OptTable;

constexpr OptTable::Info kOptions[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO_WITH_ID_PREFIX(, __VA_ARGS__),
#include "tally/driver/Options.inc"
#undef OPTION
};

class TallyOptions : public llvm::opt::GenericOptTable {
public:
  TallyOptions()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, kOptions) {}
};
} // namespace
} // namespace tally::option

static const option::TallyOptions &table() {
  static const option::TallyOptions options;
  return options;
}

tally::Diagnostic tally::usageError(std::string rule, std::string message,
                                    std::string hint) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

std::string tally::nearest(const std::string &word,
                           const std::vector<std::string> &candidates) {
  std::string best;
  unsigned least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    unsigned distance =
        StringRef(word).lower() == StringRef(candidate).lower()
            ? 0
            : StringRef(word).edit_distance(candidate, true, least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/// An option the command does not take.
static tally::Diagnostic unknownOption(const CommandSpec &command,
                                       StringRef spelling) {
  std::string near;
  llvm::opt::Visibility visibility(command.bit);
  unsigned distance = table().findNearest(spelling, near, visibility);
  return usageError("CLI-2",
                    std::string("'tally ") + command.name +
                        "' has no option '" + spelling.str() + "'",
                    distance <= 3 ? "did you mean '" + near + "'?"
                                  : std::string("`tally ") + command.name +
                                        " --help` lists the options");
}

Result<Arguments> Arguments::parse(const CommandSpec &command,
                                   llvm::ArrayRef<const char *> arguments) {
  unsigned missingIndex = 0, missingCount = 0;
  auto list = std::make_unique<llvm::opt::InputArgList>(
      table().ParseArgs(arguments, missingIndex, missingCount,
                        llvm::opt::Visibility(command.bit)));
  for (const llvm::opt::Arg *arg : list->filtered(option::UNKNOWN))
    return unknownOption(command, arg->getSpelling());
  if (missingCount)
    return usageError("CLI-2", std::string("option '") +
                                   arguments[missingIndex] + "' needs a value");
  Arguments result(std::move(list));
  if (result.has(option::help))
    return result;
  size_t given = result.positional().size();
  if (given > command.maxPositional)
    return usageError("CLI-4", "unexpected argument '" +
                                   result.positional()[command.maxPositional] +
                                   "'");
  return result;
}

std::string Arguments::value(option::Id id, std::string fallback) const {
  const llvm::opt::Arg *arg = list->getLastArg(id);
  return arg ? arg->getValue() : std::move(fallback);
}

std::vector<std::string> Arguments::values(option::Id id) const {
  return list->getAllArgValues(id);
}

std::vector<std::string> Arguments::listOf(option::Id id) const {
  std::vector<std::string> result;
  for (const std::string &text : values(id))
    for (StringRef part : llvm::split(text, ','))
      if (!part.empty())
        result.push_back(part.str());
  return result;
}

Result<std::optional<uint64_t>> Arguments::number(option::Id id) const {
  const llvm::opt::Arg *arg = list->getLastArg(id);
  if (!arg)
    return std::optional<uint64_t>();
  uint64_t result = 0;
  if (StringRef(arg->getValue()).getAsInteger(10, result))
    return usageError("CLI-3", "'" + std::string(arg->getValue()) +
                                   "' is no whole number for option '" +
                                   arg->getOption().getPrefixedName().str() +
                                   "'");
  return std::optional(result);
}

std::vector<std::string> Arguments::positional() const {
  return values(option::INPUT);
}

/// Breaks lines of more than 80 columns between words; what follows is
/// indented to where help texts stand.
static std::string wrapped(StringRef text) {
  constexpr size_t kColumns = 80, kIndent = 25;
  std::string result;
  for (StringRef full : llvm::split(text, '\n')) {
    std::string line = full.str();
    while (line.size() > kColumns) {
      size_t at = line.rfind(' ', kColumns);
      if (at == std::string::npos || at <= kIndent)
        break;
      result += line.substr(0, at) + "\n";
      line = std::string(kIndent, ' ') + line.substr(at + 1);
    }
    result += line + "\n";
  }
  return result;
}

void tally::printHelp(llvm::raw_ostream &os, const CommandSpec &command) {
  std::string usage = std::string("tally ") + command.name + command.usage;
  std::string text;
  llvm::raw_string_ostream stream(text);
  table().printHelp(stream, usage.c_str(), command.summary, false, false,
                    llvm::opt::Visibility(command.bit));
  os << wrapped(StringRef(text).rtrim()) << command.details;
}
