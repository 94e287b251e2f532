//===- Runnable.h - what of a graph a machine runs --------------*- C++ -*-===//

#ifndef TALLY_FUZZ_RUNNABLE_H
#define TALLY_FUZZ_RUNNABLE_H

#include "tally/fuzz/Coverage.h"
#include "tally/fuzz/Generator.h"
#include "tally/machine/Machine.h"

namespace tally::fuzz {

/// Gives inputs, outputs and operations names, as the importer does.
void nameAll(Graph &graph);

/// `graph`, of named operations, without those that the machine refuses: the
/// tensors that they make become inputs, with the values that they have there.
/// Counts each refusal. What is refused without the name of a node stays.
Graph runnablePart(const Graph &graph, const machine::Machine &machine,
                   Coverage &coverage);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_RUNNABLE_H
