//===- Runnable.cpp - what of a graph a machine runs ----------------------===//
//
// The schedule is the judge: it names the first node that it refuses, which is
// taken out, until it refuses none. A random graph nearly always has a node
// that a machine cannot run, and would test nothing but the refusal.
//
//===----------------------------------------------------------------------===//

#include "tally/fuzz/Runnable.h"
#include "tally/driver/NpuCompile.h"
#include "tally/fuzz/Edits.h"
#include "tally/graph/Locations.h"
#include "tally/rewrite/layout/Layout.h"
#include "tally/rewrite/quantize/Quantize.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

static StringAttr numbered(MLIRContext *context, const char *kind, size_t i) {
  return StringAttr::get(context, kind + std::to_string(i));
}

static void nameBuffers(func::FuncOp main) {
  MLIRContext *context = main.getContext();
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    main.setArgAttr(i, "nn.name", numbered(context, "input", i));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    main.setResultAttr(i, "nn.name", numbered(context, "output", i));
}

void fuzz::nameAll(Graph &graph) {
  nameBuffers(graph.main());
  MLIRContext *context = graph.main().getContext();
  for (size_t i = 0, e = countOperations(graph); i < e; ++i) {
    Operation *op = operationAt(graph, i);
    std::vector<std::string> results;
    for (unsigned r = 0; r < op->getNumResults(); ++r)
      results.push_back("tensor" + std::to_string(i) + "_" + std::to_string(r));
    op->setLoc(nn::nodeLocation(context, numbered(context, "node", i),
                                op->getName().stripDialect(), results));
  }
}

/// Why there is no program, if there is none.
static Status program(const Graph &graph, const machine::Machine &machine) {
  Graph copy = graph.clone();
  rewrite::quantize(*copy.module);
  rewrite::layout(*copy.module);
  rewrite::fuse(*copy.module, npuFusion());
  auto program = makeProgram(*copy.module, machine);
  return program ? Status::success() : Status(program.takeError());
}

static Operation *findNode(const Graph &graph, StringRef name) {
  for (size_t i = 0, e = countOperations(graph); i < e; ++i)
    if (Operation *op = operationAt(graph, i); nn::nodeName(op) == name)
      return op;
  return nullptr;
}

/// False when there is no such node, or its tensors have no values.
static bool cut(Graph &graph, StringRef name) {
  Operation *op = findNode(graph, name);
  auto values = evaluateAll(graph);
  if (!op || !llvm::all_of(op->getResults(), [&](Value result) {
        return values.contains(result);
      }))
    return false;
  for (Value result : op->getResults())
    result.replaceAllUsesWith(
        addInput(graph, result.getType(), values[result]));
  tidy(graph);
  return true;
}

Graph fuzz::runnablePart(const Graph &graph, const machine::Machine &machine,
                         Coverage &coverage) {
  Graph part = graph.clone();
  while (true) {
    Status status = program(part, machine);
    if (status)
      return part;
    tally::Diagnostic failure = status.takeError();
    if (failure.node.empty() || !cut(part, failure.node))
      return part;
    coverage.count(Topic::Refusal, failure.rule + ": " + failure.message);
    nameBuffers(part.main());
  }
}
