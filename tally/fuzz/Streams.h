//===- Streams.h - random graphs whose results come back --------*- C++ -*-===//

#ifndef TALLY_FUZZ_STREAMS_H
#define TALLY_FUZZ_STREAMS_H

#include "tally/eval/Request.h"
#include "tally/fuzz/Generator.h"
#include "tally/support/Result.h"

#include <optional>

namespace tally::fuzz {

/// `graph`, named, with states: an input becomes one where a result has its
/// type, and begins with the input's value. Which results stay outputs follows
/// from their position. Nothing where none has.
std::optional<Graph> streamOf(const Graph &graph);

/// How often a stream is called.
inline constexpr int kCalls = 3;

/// The results of kCalls calls on the graph's inputs, one after the other, then
/// the values of the states.
Result<std::vector<eval::Tensor>> evaluateStream(const Graph &graph,
                                                 eval::Profile profile);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_STREAMS_H
