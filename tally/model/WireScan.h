//===- WireScan.h - a look at a file before it is parsed --------*- C++ -*-===//

#ifndef TALLY_MODEL_WIRESCAN_H
#define TALLY_MODEL_WIRESCAN_H

#include "tally/support/Result.h"

#include <cstdint>

namespace google::protobuf::io {
class CodedInputStream;
} // namespace google::protobuf::io

namespace tally::model {

/// Levels of protobuf messages that a model may nest; 64 nested graphs and
/// types take three levels each at most.
constexpr int maxMessageDepth = 192;

/// Walks the wire format of an ONNX ModelProto of `size` bytes without storing
/// anything, and fails with
///   * FileDamaged when it is cut off or malformed, saying at which byte and
///     inside of what,
///   * LimitDepth when messages nest deeper than maxMessageDepth,
///   * LimitObjects when the parsed objects would take more than 32 times
///     `size` plus 64 MiB (an empty message takes two bytes in a file but
///     hundreds in memory).
/// Inside lists of packed numbers it does not look; the parser does.
Status scanModelWire(google::protobuf::io::CodedInputStream &input,
                     uint64_t size);

} // namespace tally::model

#endif // TALLY_MODEL_WIRESCAN_H
