//===- SegmentText.h - what people see of segments --------------*- C++ -*-===//

#ifndef TALLY_DRIVER_FALLBACK_SEGMENTTEXT_H
#define TALLY_DRIVER_FALLBACK_SEGMENTTEXT_H

#include "tally/runtime/SegmentFile.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally {

/// A few lines for each segment: where it runs, its nodes, what crosses its
/// borders, and for the host's why; reasons that say the same once.
void printSegments(llvm::raw_ostream &os, const runtime::SegmentFile &file);

/// The member "segments" of an open JSON object, with every node and reason.
void writeSegmentList(llvm::json::OStream &os,
                      const runtime::SegmentFile &file);

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_SEGMENTTEXT_H
