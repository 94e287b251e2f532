//===- Shrink.h - a failing graph becomes a small one -----------*- C++ -*-===//
//
// Changes a graph step by step and keeps a change when the graph still fails:
//
//   outputs    fewer of them, or an operand of the operator behind one
//   cut        an operator's result becomes an input (or a constant) with the
//              value that it had
//   bypass     an operator's result becomes an operand of the same type
//   operands   a bias less
//   sizes      a dimension of one tensor, or of all that have its size, halved
//   elements   zeros
//
// until none helps: then no single change of these kinds makes it smaller.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_SHRINK_H
#define TALLY_FUZZ_SHRINK_H

#include "tally/fuzz/Generator.h"

#include <functional>

namespace tally::fuzz {

/// Whether a valid graph still shows the failure.
using StillFails = std::function<bool(const Graph &)>;

/// The smallest graph found; `graph` itself fails. Ends early, with what it has
/// by then, after `seconds`.
Graph shrink(const Graph &graph, const StillFails &stillFails, double seconds);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_SHRINK_H
