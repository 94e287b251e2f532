//===- OnnxReader.h - ONNX bytes to neutral structs -------------*- C++ -*-===//
//
// Reads an ONNX model into tally::model::Model and trusts nothing in it.
//
// Accepted: IR versions 3 to 14, standard operator sets 7 to 28, every other
// domain with a version >= 1 (whether an operator is supported is for the
// importer to say). Not supported, each by a rule of its own: string tensors,
// sparse tensors, tensor segments.
//
// Model-local functions are inlined where they are called; see Model.h for
// what else the result guarantees. Node order in the file does not matter.
//
// Failures are Diagnostics that name the file, the node or tensor, and a rule;
// OnnxRules.h lists the rules. No input crashes the reader. The memory it takes
// is bounded by the bytes the files really have, about once those for a model
// of weights and some tens of times for a contrived file of empty objects; no
// size that a file only declares is ever allocated.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MODEL_ONNXREADER_H
#define TALLY_MODEL_ONNXREADER_H

#include "tally/model/Model.h"
#include "tally/support/Result.h"

#include <filesystem>

namespace tally::model {

/// How tensor bytes in files beside the model are taken.
///
/// A mapped file that another process shortens kills the reader of the lost
/// pages (SIGBUS): Linux takes even the private copies of such pages away, a
/// check before each use only narrows the race, and a library must not install
/// signal handlers. So mapping cannot be both silent and safe.
enum class ExternalData {
  /// Read once into memory of our own. The files may then change or vanish.
  Copy,
  /// Map read-only: nothing is copied, and the system may drop pages under
  /// memory pressure. The caller answers for the files: whoever shortens one
  /// while a tensor of the model lives crashes the process. Writes to them
  /// may or may not show.
  Map,
};

struct ReadOptions {
  ExternalData externalData = ExternalData::Copy;
};

/// Reads the model at `path`; external tensors are looked up in its folder.
Result<Model> readOnnxFile(const std::filesystem::path &path,
                           const ReadOptions &options = {});

/// Reads a model from memory, which need only live during the call. External
/// tensors are looked up in `baseDir`; when that is empty, they are refused.
/// `label` stands in for the file name in messages.
Result<Model> readOnnxBytes(std::span<const std::byte> bytes,
                            const std::filesystem::path &baseDir = {},
                            const ReadOptions &options = {},
                            const std::string &label = "<memory>");

} // namespace tally::model

#endif // TALLY_MODEL_ONNXREADER_H
