//===- UnsupportedNodes.cpp - nodes whose operator has no row -------------===//

#include "tally/graph/import/UnsupportedNodes.h"
#include "tally/graph/import/Importer.h"
#include "tally/graph/import/NodeImport.h"

using namespace tally;
using namespace tally::nn;

using NamesByOperator = std::map<std::string, std::vector<std::string>>;

static void noteUnsupported(const model::Node &node, NamesByOperator &missing) {
  if (!findImportRow(node))
    missing[node.fullOpType()].push_back(model::printable(node.name));
}

NamesByOperator tally::nn::unsupportedNodes(const model::Graph &graph) {
  NamesByOperator missing;
  for (const model::Node &node : graph.nodes)
    noteUnsupported(node, missing);
  return missing;
}

static std::string listed(const NamesByOperator &missing) {
  std::string text = "unsupported operators:";
  for (const auto &[op, names] : missing) {
    text += "\n  " + op + " (" + std::to_string(names.size()) + "): ";
    for (size_t i = 0; i < names.size() && i < 4; ++i)
      text += (i ? ", " : "") + names[i];
    if (names.size() > 4)
      text += ", ...";
  }
  return text;
}

Status tally::nn::checkSupported(llvm::ArrayRef<const model::Node *> nodes) {
  NamesByOperator missing;
  for (const model::Node *node : nodes)
    noteUnsupported(*node, missing);
  if (missing.empty())
    return Status::success();
  tally::Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "IMP-3";
  failure.message = listed(missing);
  failure.hint = "cut the graph around them with --inputs and --outputs; "
                 "`tally ops` lists what is supported";
  return failure;
}
