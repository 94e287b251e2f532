//===- TestFolder.h - a folder that lasts one test --------------*- C++ -*-===//
//
// For tests only.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_TESTFOLDER_H
#define TALLY_SUPPORT_TESTFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace tally {

/// A fresh empty folder, removed with everything in it at the end of its scope.
class TestFolder {
public:
  TestFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tally-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make a temporary folder");
    root = pattern;
  }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  /// "FOLDER/name".
  std::string path(const std::string &name) const {
    return (root / name).string();
  }

  /// Number of entries, hidden ones included.
  size_t entryCount() const {
    size_t count = 0;
    for ([[maybe_unused]] auto &entry :
         std::filesystem::directory_iterator(root))
      ++count;
    return count;
  }

private:
  std::filesystem::path root;
};

} // namespace tally

#endif // TALLY_SUPPORT_TESTFOLDER_H
