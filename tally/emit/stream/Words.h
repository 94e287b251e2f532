//===- Words.h - how long loops and straight text are -----------*- C++ -*-===//
//
// Private to this folder: instructions that Record.cpp would make, without
// making them, where nothing is known of staged fields before.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_STREAM_WORDS_H
#define TALLY_EMIT_STREAM_WORDS_H

#include "tally/emit/stream/Loop.h"

namespace tally::emit {

/// Of straight text: the first trip, and each that follows, taken to be as long
/// as the second. Of a loop: what stands before it, and its body.
struct Words {
  int64_t first = 0, each = 0;
};

Words straightWords(const Stream &stream, const Repeat &repeat);
Words loopWords(const Stream &stream, const Loop &loop);

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_WORDS_H
