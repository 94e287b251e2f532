//===- CommandLine.h - the arguments of one command -------------*- C++ -*-===//
//
// A command ("compile", "run", ...) with the options Options.td grants it.
//
// Rules (FailureKind::Usage):
//   CLI-1  the command exists
//   CLI-2  every option is one that the command takes, with a value where it
//          needs one
//   CLI-3  a value has the form that its option asks for
//   CLI-4  positional arguments are as many as the command takes
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_COMMANDLINE_H
#define TALLY_DRIVER_COMMANDLINE_H

#include "tally/support/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#include <memory>
#include <vector>

namespace tally {

namespace option {
/// Which command an option belongs to, as OptTable's visibility bits. Bit 0 is
/// OptTable's own.
enum Command : unsigned {
  InCompile = 1 << 1,
  InRun = 1 << 2,
  InInspect = 1 << 3,
  InExplain = 1 << 4,
  InDiff = 1 << 5,
  InOps = 1 << 6,
  InVersion = 1 << 7,
  InPlan = 1 << 8,
  InMachine = 1 << 9,
  InAsm = 1 << 10,
  InDisasm = 1 << 11,
  InCheck = 1 << 12,
  InBench = 1 << 13,
};

enum Id {
  INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID_WITH_ID_PREFIX(, __VA_ARGS__),
#include "tally/driver/Options.inc"
#undef OPTION
};
} // namespace option

class Arguments;

struct CommandSpec {
  const char *name;
  option::Command bit;
  const char *usage;   ///< what follows "tally NAME"
  const char *summary; ///< one line
  const char *details; ///< printed after the options; examples
  size_t maxPositional;
  /// Does the work; the value is the process's exit status.
  Result<int> (*run)(const Arguments &arguments);
};

/// Parsed arguments. Not copyable.
class Arguments {
public:
  static Result<Arguments> parse(const CommandSpec &command,
                                 llvm::ArrayRef<const char *> arguments);

  bool has(option::Id id) const { return list->hasArg(id); }
  /// The last value of an option, or `fallback`.
  std::string value(option::Id id, std::string fallback = "") const;
  /// All values of an option, in order.
  std::vector<std::string> values(option::Id id) const;
  /// Values of a comma-separated option, all occurrences joined.
  std::vector<std::string> listOf(option::Id id) const;
  /// A whole number, from 0; CLI-3.
  Result<std::optional<uint64_t>> number(option::Id id) const;

  std::vector<std::string> positional() const;

private:
  explicit Arguments(std::unique_ptr<llvm::opt::InputArgList> list)
      : list(std::move(list)) {}
  std::unique_ptr<llvm::opt::InputArgList> list;
};

/// Usage, options, details.
void printHelp(llvm::raw_ostream &os, const CommandSpec &command);

/// A Usage failure.
Diagnostic usageError(std::string rule, std::string message,
                      std::string hint = "");

/// "; did you mean 'x'?" material: the candidate nearest to `word`, or empty
/// when none is near.
std::string nearest(const std::string &word,
                    const std::vector<std::string> &candidates);

} // namespace tally

#endif // TALLY_DRIVER_COMMANDLINE_H
