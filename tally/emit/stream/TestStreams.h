//===- TestStreams.h - streams for tests ------------------------*- C++ -*-===//

#ifndef TALLY_EMIT_STREAM_TESTSTREAMS_H
#define TALLY_EMIT_STREAM_TESTSTREAMS_H

#include "tally/emit/routine/TestProcessor.h"
#include "tally/emit/stream/Stream.h"

namespace tally::emit {

/// Queues of testMachine().
inline constexpr uint32_t kDma = 0, kVector = 2;

/// A copy of `bytes` bytes of the arena to SRAM.
isa::Command loadOf(int64_t from, int64_t to, int64_t bytes);
/// A copy of bytes in SRAM by the vector engine.
isa::Command moveOf(int64_t from, int64_t to, int64_t bytes);

/// What queues get from a stream when each command stands alone: the text that
/// TestProcessor writes of each entry.
std::vector<std::string> entriesOf(const Stream &stream,
                                   const machine::Machine &machine);

/// Groups of commands that come again with numbers that mostly step, between
/// others, for the machine's kind of synchronization.
Stream randomStream(unsigned seed, const machine::Machine &machine);

/// Backward branches.
size_t loopsOf(const Code &code);

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_TESTSTREAMS_H
