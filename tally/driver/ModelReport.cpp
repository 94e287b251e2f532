//===- ModelReport.cpp - what a model is, before compiling ----------------===//

#include "tally/driver/ModelReport.h"
#include "tally/driver/Reports.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally;
namespace json = llvm::json;

std::string QuantizationStyle::text() const {
  std::vector<std::string> parts;
  if (quantizeNodes || dequantizeNodes)
    parts.emplace_back("QDQ");
  if (operatorNodes)
    parts.emplace_back("QOperator");
  if (dynamicNodes)
    parts.emplace_back("dynamic");
  if (parts.empty())
    return "float";
  return llvm::join(parts, " + ") + (perChannel ? ", per-channel" : "");
}

static std::string dimsText(const ReportedTensor &tensor) {
  if (!tensor.hasRank)
    return "of any rank";
  return tensor.dims.empty() ? "scalar" : llvm::join(tensor.dims, "x");
}

static void printNames(llvm::raw_ostream &os,
                       const std::vector<std::string> &names) {
  for (size_t i = 0; i < names.size() && i < 4; ++i)
    os << (i ? ", " : " ") << names[i];
  if (names.size() > 4)
    os << ", and " << names.size() - 4 << " more";
  os << "\n";
}

static void printHead(llvm::raw_ostream &os, const ModelReport &report) {
  os << report.path << ": ONNX, IR version " << report.irVersion;
  for (const auto &[domain, version] : report.opsets)
    os << ", " << (domain.empty() ? "opset" : domain) << " " << version;
  if (!report.producer.empty())
    os << ", made by " << report.producer;
  os << "\n";
  for (auto [title, list] : {std::pair("inputs", &report.inputs),
                             std::pair("outputs", &report.outputs)}) {
    os << title << ":\n";
    for (const ReportedTensor &tensor : *list)
      os << "  " << tensor.name << ": " << tensor.type << " "
         << dimsText(tensor) << "\n";
  }
  if (!report.proposedStates.empty())
    os << "states that names propose (--state proposed"
       << (llvm::any_of(report.proposedStates,
                        [](const ReportedState &state) { return state.grows; })
               ? ":append"
               : "")
       << " takes them all):\n";
  for (const ReportedState &state : report.proposedStates)
    os << "  --state " << state.output << "=" << state.input
       << (state.grows ? ":append" : "") << "\n";
  if (report.unbound.empty())
    return;
  os << "dimensions still open, with the option that binds them:\n";
  for (const ReportedDimension &dim : report.unbound)
    os << "  '" << dim.dimension << "' of '" << dim.input << "': " << dim.option
       << "\n";
}

/// Most frequent first; equal counts by name.
static std::vector<std::pair<std::string, int64_t>>
byCount(const std::map<std::string, int64_t> &counts) {
  std::vector<std::pair<std::string, int64_t>> list(counts.begin(),
                                                    counts.end());
  std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  return list;
}

static void printOperators(llvm::raw_ostream &os, const ModelReport &report) {
  os << "operators:\n";
  for (const auto &[name, count] : byCount(report.operators))
    os << "  " << llvm::right_justify(std::to_string(count), 5) << "  " << name
       << (report.unsupported.count(name) ? "  (not supported)" : "") << "\n";
  os << "quantization: " << report.style.text() << "\n";
  for (const auto &[name, nodes] : report.unsupported) {
    os << "not supported: " << name << " (" << nodes.size() << "):";
    printNames(os, nodes);
  }
}

static void printFacts(llvm::raw_ostream &os, const ModelReport &report) {
  const GraphFacts &facts = report.facts;
  if (!report.hasFacts) {
    os << "no figures: " << report.noFacts << "\n";
    return;
  }
  if (!facts.assumed.empty())
    os << "figures with " << facts.assumed << ":\n";
  os << "multiply-adds: " << facts.macs << "\n"
     << "constants: " << bytesText(facts.constantBytes) << "\n"
     << "tensors alive at once: at most " << bytesText(facts.liveBytes);
  if (!facts.liveAt.empty())
    os << ", at node '" << facts.liveAt << "'";
  os << "\n";
  if (facts.floatNodes.empty())
    return;
  os << "nodes that stay float although they read or feed codes:\n";
  for (const ReportedFloatNode &node : facts.floatNodes)
    os << "  '" << node.node << "' (" << node.op << "): " << node.reason << "; "
       << node.suggestion << "\n";
}

void tally::printModel(llvm::raw_ostream &os, const ModelReport &report) {
  printHead(os, report);
  printOperators(os, report);
  printFacts(os, report);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static std::string utf8(const std::string &text) { return json::fixUTF8(text); }

static void writeTensors(json::OStream &os, const char *key,
                         const std::vector<ReportedTensor> &tensors) {
  os.attributeArray(key, [&] {
    for (const ReportedTensor &tensor : tensors)
      os.object([&] {
        os.attribute("name", utf8(tensor.name));
        os.attribute("type", utf8(tensor.type));
        if (!tensor.hasRank)
          return;
        os.attributeArray("shape", [&] {
          for (const std::string &dim : tensor.dims)
            os.value(utf8(dim));
        });
      });
  });
}

static void writeStyle(json::OStream &os, const QuantizationStyle &style) {
  os.attributeObject("quantization", [&] {
    os.attribute("style", style.text());
    os.attribute("quantize_nodes", style.quantizeNodes);
    os.attribute("dequantize_nodes", style.dequantizeNodes);
    os.attribute("operator_nodes", style.operatorNodes);
    os.attribute("dynamic_nodes", style.dynamicNodes);
    os.attribute("per_channel", style.perChannel);
  });
}

static void writeFacts(json::OStream &os, const GraphFacts &facts) {
  os.attributeObject("figures", [&] {
    os.attribute("assumed", utf8(facts.assumed));
    os.attribute("macs", facts.macs);
    os.attribute("constant_bytes", facts.constantBytes);
    os.attribute("live_bytes", facts.liveBytes);
    os.attribute("live_at", utf8(facts.liveAt));
    os.attributeArray("float_nodes", [&] {
      for (const ReportedFloatNode &node : facts.floatNodes)
        os.object([&] {
          os.attribute("node", utf8(node.node));
          os.attribute("op", utf8(node.op));
          os.attribute("reason", utf8(node.reason));
          os.attribute("suggestion", utf8(node.suggestion));
        });
    });
  });
}

void tally::writeModel(llvm::raw_ostream &stream, const ModelReport &report) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("kind", "model");
    os.attribute("path", utf8(report.path));
    os.attribute("ir_version", report.irVersion);
    os.attributeObject("opsets", [&] {
      for (const auto &[domain, version] : report.opsets)
        os.attribute(utf8(domain), version);
    });
    writeTensors(os, "inputs", report.inputs);
    writeTensors(os, "outputs", report.outputs);
    os.attributeArray("unbound", [&] {
      for (const ReportedDimension &dim : report.unbound)
        os.object([&] {
          os.attribute("input", utf8(dim.input));
          os.attribute("dimension", utf8(dim.dimension));
          os.attribute("option", utf8(dim.option));
        });
    });
    os.attributeArray("proposed_states", [&] {
      for (const ReportedState &state : report.proposedStates)
        os.object([&] {
          os.attribute("output", utf8(state.output));
          os.attribute("input", utf8(state.input));
          if (state.grows)
            os.attribute("grows", true);
        });
    });
    os.attributeObject("operators", [&] {
      for (const auto &[name, count] : report.operators)
        os.attribute(utf8(name), count);
    });
    writeStyle(os, report.style);
    os.attributeObject("unsupported", [&] {
      for (const auto &[name, nodes] : report.unsupported)
        os.attributeArray(utf8(name), [&, &nodes = nodes] {
          for (const std::string &node : nodes)
            os.value(utf8(node));
        });
    });
    if (report.hasFacts)
      writeFacts(os, report.facts);
    else
      os.attribute("no_figures", utf8(report.noFacts));
  });
  stream << "\n";
}
