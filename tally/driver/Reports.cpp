//===- Reports.cpp - what a compiled model is, as text --------------------===//

#include "tally/driver/Reports.h"
#include "tally/driver/tensors/Summary.h"
#include "tally/runtime/StateLayout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally;
using runtime::Interface;
using runtime::StageInterface;

std::string tally::bytesText(int64_t bytes) {
  std::string text = std::to_string(bytes) + " bytes";
  if (bytes < (10 << 10))
    return text;
  const char *unit = bytes < (10 << 20) ? "KiB" : "MiB";
  double scaled =
      static_cast<double>(bytes) / (bytes < (10 << 20) ? 1 << 10 : 1 << 20);
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%.1f %s", scaled, unit);
  return result + " (" + text + ")";
}

void tally::printMemory(llvm::raw_ostream &os, const Interface &interface) {
  os << "arena: " << bytesText(interface.arenaBytes) << ", alignment "
     << interface.arenaAlignment
     << (interface.staticArena ? ", built in" : ", from the caller") << "\n";
  if (!interface.peak.empty()) {
    os << "  peak:";
    int64_t shown = 0;
    for (const runtime::PeakTensor &tensor : interface.peak) {
      if (shown++ == 4) {
        os << ", and " << interface.peak.size() - 4 << " more";
        break;
      }
      os << (shown == 1 ? " " : ", ") << tensor.name << " " << tensor.bytes;
    }
    os << "\n";
  }
  os << "constants: " << bytesText(interface.constBytes) << ", read-only\n";
}

void tally::printStates(llvm::raw_ostream &os, const Interface &interface) {
  if (interface.states.empty())
    return;
  os << "states: " << bytesText(runtime::stateLayout(interface).bytes)
     << " for each context\n";
  for (const runtime::StateInterface &state : interface.states)
    os << "  " << state.tensor.name << ": " << typeText(state.tensor) << ", "
       << runtime::policyName(state.policy) << ", a call writes "
       << state.writtenBytes << " of " << state.tensor.byteCount() << " bytes"
       << (state.copiedBytes
               ? " and copies " + std::to_string(state.copiedBytes)
               : "")
       << "\n";
}

void tally::writeStates(llvm::json::OStream &os, const Interface &interface) {
  os.attributeArray("states", [&] {
    for (const runtime::StateInterface &state : interface.states)
      os.object([&] {
        os.attribute("name", llvm::json::fixUTF8(state.tensor.name));
        os.attribute("policy", runtime::policyName(state.policy));
        os.attribute("bytes", state.tensor.byteCount());
        os.attribute("written_bytes", state.writtenBytes);
        os.attribute("copied_bytes", state.copiedBytes);
      });
  });
}

void tally::printTensors(llvm::raw_ostream &os, const char *title,
                         const std::vector<runtime::TensorInterface> &tensors) {
  os << title << ":\n";
  for (const runtime::TensorInterface &tensor : tensors)
    os << "  " << tensor.name << ": " << typeText(tensor) << ", "
       << tensor.byteCount() << " bytes\n";
}

/// MLIR's text of a tensor type, for people: "2x16x8x8 i8" for
/// "tensor<2x16x8x8x!quant.uniform<i8:f32, 0.5:3>>".
static std::string shortType(const std::string &text) {
  llvm::StringRef type = text;
  if (!type.consume_front("tensor<") || !type.consume_back(">"))
    return text;
  auto [shape, grid] = type.split("!quant.uniform<");
  if (grid.empty())
    return shape.str();
  shape.consume_back("x");
  return shape.str() + " " +
         grid.take_until([](char c) { return c == ':' || c == '<'; }).str();
}

namespace {
/// Column widths of the table of stages.
struct StageColumns {
  size_t node = 5, op = 2, result = 6;
};
} // namespace

static StageColumns widths(const std::vector<StageInterface> &stages) {
  StageColumns columns;
  for (const StageInterface &stage : stages) {
    columns.node =
        std::max(columns.node, std::min<size_t>(stage.node.size(), 40));
    columns.op = std::max(columns.op, stage.op.size());
    columns.result = std::max(
        columns.result, std::min<size_t>(shortType(stage.result).size(), 40));
  }
  return columns;
}

static std::string cut(const std::string &text, size_t limit) {
  return text.size() <= limit ? text
                              : "..." + text.substr(text.size() - limit + 3);
}

static void printStages(llvm::raw_ostream &os,
                        const std::vector<StageInterface> &stages) {
  StageColumns columns = widths(stages);
  auto row = [&](const std::string &node, const std::string &op,
                 const std::string &result, const std::string &macs,
                 const std::string &constants, const std::string &note) {
    std::string line;
    llvm::raw_string_ostream(line)
        << "  " << llvm::left_justify(cut(node, 40), columns.node) << "  "
        << llvm::left_justify(op, columns.op) << "  "
        << llvm::left_justify(cut(result, 40), columns.result) << "  "
        << llvm::right_justify(macs, 12) << "  "
        << llvm::right_justify(constants, 11) << "  " << note;
    os << llvm::StringRef(line).rtrim() << "\n";
  };
  os << "stages:\n";
  row("node", "op", "result", "MACs", "const bytes", "");
  int64_t macs = 0, constants = 0;
  for (const StageInterface &stage : stages) {
    macs += stage.macs;
    constants += stage.constantBytes;
    std::string note = stage.isFloat ? "float" : "";
    if (!stage.reason.empty())
      note += ": " + stage.reason;
    row(stage.node, stage.op, shortType(stage.result),
        std::to_string(stage.macs), std::to_string(stage.constantBytes), note);
  }
  row("total", "", "", std::to_string(macs), std::to_string(constants), "");
}

void tally::printArtifact(llvm::raw_ostream &os,
                          const runtime::Artifact &artifact) {
  const Interface &interface = artifact.interface;
  os << artifact.path << ": " << runtime::formName(artifact.form) << ", "
     << bytesText(static_cast<int64_t>(artifact.file.size())) << "\n"
     << "  made by " << interface.producer << " from " << interface.model
     << ", numerics " << interface.numerics << "\n"
     << "  for " << interface.target << " ("
     << llvm::join(interface.tiers, ", ")
     << (interface.emulated ? "; emulated by avx2" : "") << "), entry "
     << interface.symbol << "_run\n";
  printTensors(os, "inputs", interface.inputs);
  printTensors(os, "outputs", interface.outputs);
  printMemory(os, interface);
  printStates(os, interface);
  printStages(os, interface.stages);
}
