//===- SegmentFile.h - a model in segments ----------------------*- C++ -*-===//
//
// A model that an accelerator runs in parts and the host between them: a
// standard archive (ar) of manifest.json, one program (.elf) for each segment
// of the accelerator and one object (.o) for each of the host.
// docs/formats/segments.md gives the manifest.
//
// The manifest numbers the tensors that the model is given or that cross a
// segment's border. Segments run in their order; each reads tensors that are
// there and makes new ones. What the code in the members takes and gives is for
// those to check who load it (SEG-5 in driver/fallback/SegmentRun.h).
//
// Rules:
//   SEG-1  the file is an archive that begins with manifest.json, and no two
//          members have one name (Model)
//   SEG-2  the manifest is JSON of the format (Model)
//   SEG-3  of this version (Unsupported)
//   SEG-4  a tensor is made once, before it is read; each segment has a member
//          of its own (Model)
//   SEG-6  the last inputs are old values of the states that are read, in their
//          order, the last outputs new values of those that are written; a new
//          value goes into a slot of its own (Model)
//   SEG-7  a host segment's code is what was written (Model). A machine's
//          program is checked as a whole before it runs
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_SEGMENTFILE_H
#define TALLY_RUNTIME_SEGMENTFILE_H

#include "tally/runtime/Interface.h"

#include <span>

namespace tally::runtime {

inline constexpr int kSegmentsVersion = 2;
/// What a segment of the host has for its machine's name.
inline constexpr const char *kHostTarget = "cpu";

/// Why a node is the host's.
struct HostReason {
  std::string node; ///< the model's name
  std::string rule; ///< of the refusal, such as "NPU-10"
  std::string message;
  bool operator==(const HostReason &) const = default;
};

struct Segment {
  std::string target;              ///< kHostTarget, or the machine's name
  std::string member;              ///< the file in the archive
  std::vector<std::string> nodes;  ///< the model's names, in order
  std::vector<int64_t> inputs;     ///< tensors, in the order of the code's
  std::vector<int64_t> outputs;    ///< likewise
  std::vector<HostReason> reasons; ///< of the host's; by node
  std::vector<uint8_t> code;       ///< the member's bytes

  bool isHost() const { return target == kHostTarget; }
  bool operator==(const Segment &) const = default;
};

/// An input or output of the model.
struct Port {
  std::string name; ///< the model's own
  int64_t tensor = 0;
  bool operator==(const Port &) const = default;
};

struct SegmentFile {
  std::string producer; ///< "tally 0.1.0"
  std::string model;    ///< file name of the model, without folders
  std::vector<TensorInterface> tensors;
  /// The model's own, and behind them old and new values of states.
  std::vector<Port> inputs, outputs;
  std::vector<Segment> segments;
  Interface states; ///< only its states, slots and commit, and the hash
  bool operator==(const SegmentFile &) const = default;

  /// The tensors of ports, under the ports' names.
  std::vector<TensorInterface>
  interfaceOf(const std::vector<Port> &ports) const;
  /// How many of the ports are the model's own.
  size_t ownInputs() const;
  size_t ownOutputs() const;
};

/// Whether bytes begin like such a file.
bool beginsLikeSegments(std::span<const uint8_t> bytes);
/// Whether the file `path` does.
bool looksLikeSegments(const std::string &path);

/// The file's bytes; equal files give equal bytes. `file` keeps SEG-4.
Result<std::vector<uint8_t>> writeSegments(const SegmentFile &file);

/// The inverse, on untrusted bytes; `name` is what failures call the file.
Result<SegmentFile> parseSegments(std::span<const uint8_t> bytes,
                                  const std::string &name);
Result<SegmentFile> readSegments(const std::string &path);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_SEGMENTFILE_H
