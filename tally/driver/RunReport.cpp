//===- RunReport.cpp - what a run shows -----------------------------------===//

#include "tally/driver/RunReport.h"
#include "tally/driver/tensors/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
namespace json = llvm::json;

bool RunReport::differs() const {
  return (nodes && nodes->different > 0) ||
         llvm::any_of(outputDifferences,
                      [](const std::string &text) { return !text.empty(); }) ||
         llvm::any_of(stateDifferences,
                      [](const auto &state) { return !state.second.empty(); });
}

static void printComparison(llvm::raw_ostream &os, const RunReport &report) {
  os << "compared with eval:\n";
  for (size_t i = 0; i < report.outputDifferences.size(); ++i) {
    const std::string &difference = report.outputDifferences[i];
    os << "  output '" << report.outputs[i].name << "': ";
    if (difference.empty())
      os << "equal bit for bit (" << report.tensors[i].count()
         << " elements)\n";
    else
      os << difference << "\n";
  }
  for (const auto &[name, difference] : report.stateDifferences)
    os << "  state '" << name << "' after the last step: "
       << (difference.empty() ? "equal bit for bit" : difference) << "\n";
  if (!report.nodes)
    return;
  const NodeReport &nodes = *report.nodes;
  os << "  inner tensors: " << nodes.compared - nodes.different << " of "
     << nodes.compared << " equal bit for bit";
  if (nodes.missing)
    os << "; " << nodes.missing
       << " exist in the compiled form only in another type, or not in eval";
  os << "\n";
  if (nodes.different)
    os << "  first difference: node '" << nodes.firstNode << "', tensor '"
       << nodes.firstTensor << "': " << nodes.firstText << "\n";
}

void tally::printReport(llvm::raw_ostream &os, const RunReport &report) {
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    printSummary(os, report.outputs[i], report.tensors[i]);
    if (!report.files.empty())
      os << "  written to " << report.files[i] << "\n";
  }
  if (report.compared)
    printComparison(os, report);
  if (report.simulation)
    printCounters(os, *report.simulation);
  if (report.byNode)
    printNodes(os, *report.simulation);
  for (const SegmentReport &segment : report.segments) {
    os << "segment " << segment.member << " on " << segment.target << "\n";
    if (segment.simulation)
      printCounters(os, *segment.simulation);
  }
}

static void writeSegments(json::OStream &os,
                          const std::vector<SegmentReport> &segments) {
  os.attributeArray("segments", [&] {
    for (const SegmentReport &segment : segments)
      os.object([&] {
        os.attribute("target", json::fixUTF8(segment.target));
        os.attribute("member", json::fixUTF8(segment.member));
        if (segment.simulation)
          os.attributeObject("simulation",
                             [&] { writeCounters(os, *segment.simulation); });
      });
  });
}

static void writeNodes(json::OStream &os, const NodeReport &nodes) {
  os.attributeObject("nodes", [&] {
    os.attribute("compared", nodes.compared);
    os.attribute("different", nodes.different);
    os.attribute("not_in_eval", nodes.missing);
    if (!nodes.different)
      return;
    os.attribute("first_node", json::fixUTF8(nodes.firstNode));
    os.attribute("first_tensor", json::fixUTF8(nodes.firstTensor));
    os.attribute("difference", nodes.firstText);
  });
}

void tally::writeReport(llvm::raw_ostream &stream, const RunReport &report) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("target", report.target);
    if (report.compared)
      os.attribute("equal", !report.differs());
    os.attributeArray("outputs", [&] {
      for (size_t i = 0; i < report.outputs.size(); ++i)
        os.object([&] {
          writeSummary(os, report.outputs[i], report.tensors[i]);
          if (!report.files.empty())
            os.attribute("file", json::fixUTF8(report.files[i]));
          if (report.compared)
            os.attribute("difference", report.outputDifferences[i]);
        });
    });
    if (!report.stateDifferences.empty())
      os.attributeArray("states", [&] {
        for (const auto &[name, difference] : report.stateDifferences)
          os.object([&] {
            os.attribute("name", json::fixUTF8(name));
            os.attribute("difference", difference);
          });
      });
    if (report.nodes)
      writeNodes(os, *report.nodes);
    if (report.simulation)
      os.attributeObject("simulation",
                         [&] { writeCounters(os, *report.simulation); });
    if (!report.segments.empty())
      writeSegments(os, report.segments);
  });
  stream << "\n";
}
