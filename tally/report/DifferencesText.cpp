//===- DifferencesText.cpp - a run against a reference, for people --------===//

#include "tally/report/Differences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tally::report;

static constexpr size_t kTensorsShown = 8, kElementsShown = 2;

static std::string formatted(const char *format, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

/// "-1: 3, +1: 5", without what is equal.
static std::string histogramText(const TensorDifference &tensor) {
  std::vector<std::string> parts;
  for (auto [steps, count] : tensor.histogram)
    if (steps)
      parts.push_back((steps > 0 ? "+" : "") + std::to_string(steps) + ": " +
                      std::to_string(count));
  size_t room = 7; // a tensor that is all different has hundreds
  if (parts.size() > room) {
    size_t more = parts.size() - room;
    parts.resize(room);
    parts.push_back("and " + std::to_string(more) + " others");
  }
  return llvm::join(parts, ", ");
}

static std::string indexText(const std::vector<int64_t> &index) {
  std::vector<std::string> parts;
  parts.reserve(index.size());
  for (int64_t i : index)
    parts.push_back(std::to_string(i));
  return "[" + llvm::join(parts, ",") + "]";
}

static void printTensor(llvm::raw_ostream &os, const TensorDifference &tensor) {
  os << "  " << quoted(tensor.node) << " (" << tensor.op << ")\n    "
     << tensor.tensor << ": " << tensor.different << " of " << tensor.count
     << " (" << tensor.type << ")";
  if (tensor.isFloat)
    os << ", by at most " << formatted("%.3g", tensor.largest);
  if (tensor.sqnr)
    os << ", SQNR " << formatted("%.1f dB", *tensor.sqnr);
  os << "\n";
  if (!tensor.isFloat)
    os << "    ours - reference: " << histogramText(tensor) << "\n";
}

static void printElement(llvm::raw_ostream &os, const TensorDifference &tensor,
                         const DifferentElement &element) {
  os << "    " << tensor.tensor << indexText(element.index) << ": ours "
     << element.ours << ", reference " << element.reference;
  if (element.exact)
    os << ", exactly "
       << formatted("%.12f", std::ldexp(*element.exact, -kFineBits))
       << " steps";
  if (element.rule == Rule::InputDiffers && !tensor.changedOperand.empty())
    os << ", reads " << tensor.changedOperand;
  os << "\n";
}

static void printElements(llvm::raw_ostream &os, const DifferenceReport &report,
                          std::optional<Rule> rule, bool all) {
  size_t shown = 0;
  for (const TensorDifference &tensor : report.tensors)
    for (const DifferentElement &element : tensor.elements)
      if (element.rule == rule && (all || shown < kElementsShown)) {
        printElement(os, tensor, element);
        ++shown;
      }
}

static void printRules(llvm::raw_ostream &os, const DifferenceReport &report,
                       bool all) {
  auto counts = report.ruleCounts();
  int64_t unexplained = report.unexplained();
  if (counts.empty() && !unexplained)
    return;
  os << "why:\n";
  for (auto [rule, count] : counts) {
    os << "  " << rowOf(rule).code << " (" << count
       << "): " << rowOf(rule).meaning << "\n";
    printElements(os, report, rule, all);
  }
  if (!unexplained)
    return;
  os << "  unexplained (" << unexplained << ")\n";
  printElements(os, report, std::nullopt, all);
}

/// Tensors of floats or of the others that differ, in graph order.
static void printTensors(llvm::raw_ostream &os, const DifferenceReport &report,
                         bool floats, bool all) {
  std::vector<const TensorDifference *> chosen;
  for (const TensorDifference &tensor : report.tensors)
    if (tensor.isFloat == floats && tensor.different)
      chosen.push_back(&tensor);
  if (chosen.empty())
    return;
  os << (floats ? "floats that differ:\n" : "codes that differ:\n");
  size_t shown = all ? chosen.size() : std::min(chosen.size(), kTensorsShown);
  for (size_t i = 0; i < shown; ++i)
    printTensor(os, *chosen[i]);
  if (shown < chosen.size())
    os << "  and " << chosen.size() - shown
       << " other tensors; --all lists them\n";
}

static void printComparison(llvm::raw_ostream &os,
                            const DifferenceReport &report) {
  os << "compared: " << report.tensors.size() << " tensors; "
     << report.differentCodes() << " of " << report.comparedCodes()
     << " codes differ\n";
  if (report.fromEvaluator)
    os << "  " << report.fromEvaluator
       << " that the compiled form merges or moves are the evaluator's\n";
  if (report.insideGroups)
    os << "not compared: " << report.insideGroups
       << " floats between a Dequantize and a Quantize, where ours has codes\n";
  if (report.missing)
    os << "not compared: " << report.missing << " not in the reference\n";
  if (report.changedByShowing && report.changedByShowing->part)
    os << "the reference's own outputs change when inner tensors are shown: "
       << report.changedByShowing->part << " of "
       << report.changedByShowing->whole << " elements\n";
}

void tally::report::printDifferences(llvm::raw_ostream &os,
                                     const DifferenceReport &report, bool all) {
  os << report.model << ": " << report.executor << " against "
     << report.reference << "\n";
  printComparison(os, report);
  if (const TensorDifference *first = report.first())
    os << "first: node " << quoted(first->node) << ", tensor "
       << quoted(first->tensor) << "\n";
  printTensors(os, report, false, all);
  printRules(os, report, all);
  printTensors(os, report, true, all);
  for (const DecisionAgreement &decision : report.decisions)
    os << "decisions of output " << quoted(decision.output) << ": "
       << decision.agree << " of " << decision.count << " agree\n";
}
