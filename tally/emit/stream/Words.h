//===- Words.h - how long loops and straight text are -----------*- C++ -*-===//
//
// Private to this folder: instructions that Record.cpp would make, without
// making them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_STREAM_WORDS_H
#define TALLY_EMIT_STREAM_WORDS_H

#include "tally/emit/routine/Routine.h"
#include "tally/emit/stream/Loop.h"

namespace tally::emit {

/// Instructions in the text, and those that run.
struct Words {
  int64_t text = 0, run = 0;
};

/// Of a repeat as straight text, after what `routine` has recorded.
Words straightWords(const Stream &stream, const Repeat &repeat,
                    const Routine &routine);
Words loopWords(const Stream &stream, const Loop &loop, const Routine &routine);

} // namespace tally::emit

#endif // TALLY_EMIT_STREAM_WORDS_H
