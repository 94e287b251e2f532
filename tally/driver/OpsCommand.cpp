//===- OpsCommand.cpp - tally ops -----------------------------------------===//

#include "tally/driver/Commands.h"
#include "tally/driver/ContractText.h"
#include "tally/driver/OpsCatalog.h"
#include "tally/driver/OpsText.h"
#include "tally/graph/import/SupportedOperators.h"
#include "tally/schedule/Schedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace tally;
using llvm::StringRef;
using nn::SupportedOperator;
namespace json = llvm::json;

namespace {
/// What `tally ops [NAME]` is about.
struct Selection {
  std::vector<OperatorContract> contracts;
  std::vector<SupportedOperator> rows;
};
} // namespace

/// A name as people type it: "nn.conv", "conv" and "Conv" are alike.
static bool isCalled(const OperatorContract &contract, StringRef name) {
  name.consume_front("nn.");
  return contract.name == name;
}

static std::vector<std::string> allNames(const Selection &all) {
  std::vector<std::string> names;
  names.reserve(all.contracts.size() + all.rows.size());
  for (const OperatorContract &contract : all.contracts)
    names.push_back(contract.name);
  for (const SupportedOperator &row : all.rows)
    names.push_back(row.opType);
  return names;
}

static Result<Selection> select(const Selection &all, const std::string &name) {
  Selection chosen;
  for (const SupportedOperator &row : all.rows)
    if (row.opType == name || row.fullName() == name)
      chosen.rows.push_back(row);
  for (const OperatorContract &contract : all.contracts)
    if (isCalled(contract, name))
      chosen.contracts.push_back(contract);
  if (chosen.contracts.empty() && !chosen.rows.empty())
    if (const OperatorContract *contract =
            contractNamedLike(all.contracts, chosen.rows[0].opType))
      chosen.contracts.push_back(*contract);
  if (!chosen.contracts.empty() || !chosen.rows.empty())
    return chosen;
  std::string near = nearest(name, allNames(all));
  return usageError("OPS-1", "there is no operator '" + name + "'",
                    near.empty() ? "`tally ops` lists them"
                                 : "did you mean '" + near + "'?");
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static bool runsOnAccelerators(const OperatorContract &contract) {
  return schedule::hasCommands("nn." + contract.name);
}

static void printContract(llvm::raw_ostream &os,
                          const OperatorContract &contract) {
  os << "nn." << contract.name << ": " << contract.summary << "\n";
  os << "  (" << llvm::join(contract.operands, ", ") << ") -> ("
     << llvm::join(contract.results, ", ") << ")\n";
  for (const OperatorField &field : contract.attributes)
    os << "  " << field.name << ": " << field.type << "\n";
  if (contract.isQuantizable)
    os << "  has an integer meaning between Dequantize and Quantize"
       << (contract.isTable ? ", as a table on codes" : "") << "\n";
  os << (runsOnAccelerators(contract)
             ? "  has commands of accelerators, where types and sizes fit\n"
             : "  has no commands of accelerators\n");
  if (!contract.text.empty())
    os << "\n" << contract.text << "\n";
  if (const nn::Contract *record = nn::findContract(contract.name))
    os << "\n" << contractText(*record);
}

static void printRow(llvm::raw_ostream &os, const SupportedOperator &row) {
  os << "  " << row.fullName() << ", operator set " << row.sinceOpset
     << " and later\n";
}

static void printOne(llvm::raw_ostream &os, const Selection &chosen) {
  if (!chosen.rows.empty()) {
    os << "read from models:\n";
    for (const SupportedOperator &row : chosen.rows)
      printRow(os, row);
    os << "\n";
  }
  for (const OperatorContract &contract : chosen.contracts)
    printContract(os, contract);
}

/// An operator that changed with an operator set has a row for each form.
static size_t distinctNames(const std::vector<SupportedOperator> &rows) {
  std::set<std::string> names;
  for (const SupportedOperator &row : rows)
    names.insert(row.fullName());
  return names.size();
}

static void printAll(llvm::raw_ostream &os, const Selection &all) {
  size_t width = 0;
  for (const OperatorContract &contract : all.contracts)
    width = std::max(width, contract.name.size());
  os << all.contracts.size() << " operators of the nn dialect:\n";
  for (const OperatorContract &contract : all.contracts)
    os << "  " << llvm::left_justify(contract.name, width + 2)
       << contract.summary << "\n";
  os << "\n"
     << distinctNames(all.rows)
     << " operators read from ONNX models (since operator set; an operator "
        "stands\nonce for each form that it had):\n ";
  size_t column = 1;
  for (const SupportedOperator &row : all.rows) {
    std::string text =
        " " + row.fullName() + " (" + std::to_string(row.sinceOpset) + ")";
    if (column + text.size() > 79) {
      os << "\n ";
      column = 1;
    }
    os << text;
    column += text.size();
  }
  os << "\n\n`tally ops NAME` prints a contract.\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeContract(json::OStream &os, const OperatorContract &contract) {
  auto list = [&](const char *key, const std::vector<std::string> &names) {
    os.attributeArray(key, [&] {
      for (const std::string &name : names)
        os.value(name);
    });
  };
  os.object([&] {
    os.attribute("name", contract.name);
    os.attribute("summary", contract.summary);
    list("operands", contract.operands);
    list("results", contract.results);
    os.attributeArray("attributes", [&] {
      for (const OperatorField &field : contract.attributes)
        os.object([&] {
          os.attribute("name", field.name);
          os.attribute("type", field.type);
        });
    });
    os.attribute("quantizable", contract.isQuantizable);
    os.attribute("table", contract.isTable);
    os.attribute("accelerator", runsOnAccelerators(contract));
    os.attribute("contract", contract.text);
    if (const nn::Contract *record = nn::findContract(contract.name)) {
      writeContractFields(os, *record);
      os.attribute("record", contractText(*record));
    }
  });
}

static void writeSelection(llvm::raw_ostream &stream, const Selection &chosen) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attributeArray("operators", [&] {
      for (const OperatorContract &contract : chosen.contracts)
        writeContract(os, contract);
    });
    os.attributeArray("onnx", [&] {
      for (const SupportedOperator &row : chosen.rows)
        os.object([&] {
          os.attribute("domain", row.domain);
          os.attribute("type", row.opType);
          os.attribute("since_opset", row.sinceOpset);
        });
    });
  });
  stream << "\n";
}

static Result<int> listOperators(const Arguments &arguments) {
  Selection chosen{parseContracts(kOpsText), nn::supportedOperators()};
  bool isOne = !arguments.positional().empty();
  if (isOne) {
    auto selected = select(chosen, arguments.positional()[0]);
    if (!selected)
      return selected.takeError();
    chosen = std::move(*selected);
  }
  if (arguments.has(option::json))
    writeSelection(llvm::outs(), chosen);
  else if (isOne)
    printOne(llvm::outs(), chosen);
  else
    printAll(llvm::outs(), chosen);
  return 0;
}

const CommandSpec tally::kOpsCommand = {
    "ops",
    option::InOps,
    " [NAME] [--json]",
    "List the operators, or tell what one means",
    R"(
NAME is an operator of the nn dialect (conv) or of ONNX (QLinearConv,
com.microsoft.QGemm).

EXAMPLES:
  tally ops
  tally ops conv
  tally ops QLinearConv --json
)",
    1,
    listOperators};
