//===- Main.cpp - the tally command ---------------------------------------===//

#include "tally/driver/Main.h"
#include "tally/driver/Commands.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

static const CommandSpec *const kCommands[] = {
    &kCompileCommand, &kRunCommand,   &kInspectCommand, &kExplainCommand,
    &kDiffCommand,    &kBenchCommand, &kOpsCommand,     &kPlanCommand,
    &kMachineCommand, &kAsmCommand,   &kDisasmCommand,  &kCheckCommand,
    &kVersionCommand};

static constexpr const char *kBugReport =
    "this is a bug in tally: please report it with the model (or the file that "
    "--reproducer FILE.mlir leaves), the command line, and the output of "
    "`tally version`\n";

static constexpr const char *kExitStatus = R"(
EXIT STATUS:
  0   done
  1   --compare-with or diff found a difference, or check rejects a program
  2   the command line is wrong
  3   a model or tensor file is wrong
  4   valid, but not supported (yet)
  5   a machine file is wrong
  6   the system refused: a file, memory
  70  a bug in tally
)";

int tally::exitStatus(FailureKind kind) {
  switch (kind) {
  case FailureKind::Usage:
    return 2;
  case FailureKind::Model:
    return 3;
  case FailureKind::Unsupported:
    return 4;
  case FailureKind::Machine:
    return 5;
  case FailureKind::System:
    return 6;
  case FailureKind::Internal:
    return 70;
  }
  return 70;
}

static int report(const tally::Diagnostic &failure) {
  llvm::outs().flush();
  llvm::errs() << "error: " << failure.str() << "\n";
  if (failure.kind == FailureKind::Internal)
    llvm::errs() << "note: " << kBugReport;
  return exitStatus(failure.kind);
}

static void printOverview(llvm::raw_ostream &os) {
  os << "OVERVIEW: Tally compiles quantized neural networks (ONNX) to native "
        "libraries\n\nUSAGE: tally COMMAND ...\n\nCOMMANDS:\n";
  for (const CommandSpec *command : kCommands)
    os << "  " << llvm::left_justify(command->name, 10) << command->summary
       << "\n";
  os << "\n`tally COMMAND --help` explains a command, with examples.\n"
     << kExitStatus;
}

static tally::Diagnostic unknownCommand(const std::string &word) {
  std::vector<std::string> names;
  for (const CommandSpec *command : kCommands)
    names.emplace_back(command->name);
  std::string near = nearest(word, names);
  return usageError("CLI-1", "there is no command '" + word + "'",
                    near.empty() ? "commands: " + llvm::join(names, ", ")
                                 : "did you mean 'tally " + near + "'?");
}

static int runCommand(const CommandSpec &command,
                      llvm::ArrayRef<const char *> words) {
  auto arguments = Arguments::parse(command, words);
  if (!arguments)
    return report(arguments.takeError());
  if (arguments->has(option::help)) {
    printHelp(llvm::outs(), command);
    return 0;
  }
  auto status = command.run(*arguments);
  return status ? *status : report(status.takeError());
}

static const CommandSpec *findCommand(llvm::StringRef word) {
  if (word == "--version")
    return &kVersionCommand;
  for (const CommandSpec *command : kCommands)
    if (word == command->name)
      return command;
  return nullptr;
}

/// `tally help COMMAND` is `tally COMMAND --help`.
static int help(llvm::ArrayRef<const char *> words) {
  if (words.empty()) {
    printOverview(llvm::outs());
    return 0;
  }
  const CommandSpec *command = findCommand(words[0]);
  if (!command)
    return report(unknownCommand(words[0]));
  printHelp(llvm::outs(), *command);
  return 0;
}

int tally::tallyMain(int argc, char **argv) {
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  llvm::setBugReportMsg(kBugReport);
  llvm::ArrayRef<const char *> words(argv + 1, argv + std::max(argc, 1));
  if (words.empty()) {
    printOverview(llvm::errs());
    return exitStatus(FailureKind::Usage);
  }
  llvm::StringRef word = words[0];
  if (word == "--help" || word == "-h" || word == "help")
    return help(words.drop_front());
  const CommandSpec *command = findCommand(word);
  if (!command)
    return report(unknownCommand(word.str()));
  return runCommand(*command, words.drop_front());
}
