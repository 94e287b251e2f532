//===- ExternalFiles.h - tensor bytes beside the model ----------*- C++ -*-===//

#ifndef TALLY_MODEL_EXTERNALFILES_H
#define TALLY_MODEL_EXTERNALFILES_H

#include "tally/model/OnnxReader.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>

namespace tally::model {

/// Bytes with their owner.
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Where a tensor says its bytes are.
struct ExternalRange {
  std::string location; ///< relative path with '/'
  int64_t offset = 0;   ///< bytes from the start of the file, >= 0
  int64_t length = 0;   ///< bytes, >= 0: the half-open [offset, offset+length)
};

/// The folder of one model. Opens nothing outside of it, follows no links,
/// and never hands out more bytes of a file than it has (equal ranges are
/// shared), so memory stays within the size of the files.
class ExternalFiles {
public:
  /// `folder` empty: there is none, and every read fails.
  ExternalFiles(std::filesystem::path folder, ExternalData mode)
      : folder(std::move(folder)), mode(mode) {}

  /// The bytes of `range`, or a failure of the rules ExternalNoFolder to
  /// ExternalOverlap whose `file` is the data file.
  Result<SharedBytes> read(const ExternalRange &range);

private:
  using RangeKey = std::tuple<std::string, int64_t, int64_t>;

  std::filesystem::path folder;
  ExternalData mode;
  std::map<RangeKey, SharedBytes> known;
  std::map<std::string, int64_t> handedOut; ///< bytes by normalised path
};

} // namespace tally::model

#endif // TALLY_MODEL_EXTERNALFILES_H
