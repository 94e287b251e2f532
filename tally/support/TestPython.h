//===- TestPython.h - an independent witness in Python ----------*- C++ -*-===//
//
// For tests only.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_TESTPYTHON_H
#define TALLY_SUPPORT_TESTPYTHON_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tally {

/// The interpreter of the test environment (TALLY_PYTHON, else the source
/// tree's .venv), or "" when there is none. `sourceDir` is TALLY_SOURCE_DIR.
inline std::string testPython(const std::string &sourceDir) {
  if (const char *chosen = std::getenv("TALLY_PYTHON"))
    return chosen;
  std::string python = sourceDir + "/.venv/bin/python";
  return std::filesystem::exists(python) ? python : "";
}

/// Whether `python` runs `program` (no double quotes in it) to a clean end;
/// `arguments` go to sys.argv.
inline bool runPython(const std::string &python, const std::string &program,
                      const std::string &arguments) {
  std::string command = "'" + python + "' -c \"" + program + "\" " + arguments;
  // NOLINTNEXTLINE(bugprone-command-processor): a shell is what is wanted
  return std::system(command.c_str()) == 0;
}

} // namespace tally

#endif // TALLY_SUPPORT_TESTPYTHON_H
