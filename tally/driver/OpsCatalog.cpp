//===- OpsCatalog.cpp - the operators and their contracts -----------------===//
//
// One operator is one third-level heading; below it stand the summary in
// underscores, a fenced syntax, the contract's text, lists of traits and
// interfaces, and tables. Example of what is read:
//
//   ### `nn.relu` (::tally::nn::ReluOp)
//   _Max(x, 0)_
//   ...
//   #### Operands:
//   | `input` | static ranked tensor |
//
//===----------------------------------------------------------------------===//

#include "tally/driver/OpsCatalog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tally;
using llvm::StringRef;

/// The text between the first `open` and the next `close` after it.
static StringRef between(StringRef text, StringRef open, StringRef close) {
  return text.split(open).second.split(close).first;
}

/// The part of `section` under "#### title:".
static StringRef tableOf(StringRef section, StringRef title) {
  return section.split(("#### " + title + ":\n").str())
      .second.split("#### ")
      .first;
}

static std::vector<std::string> namesIn(StringRef table) {
  std::vector<std::string> names;
  for (StringRef line : llvm::split(table, '\n'))
    if (line.starts_with("| `"))
      names.push_back(between(line, "`", "`").str());
  return names;
}

static std::vector<OperatorField> attributesIn(StringRef table) {
  std::vector<OperatorField> fields;
  for (StringRef line : llvm::split(table, '\n'))
    if (line.starts_with("<tr><td><code>"))
      fields.push_back({between(line, "<code>", "</code>").str(),
                        line.rsplit("<td>").second.split("</td>").first.str()});
  return fields;
}

/// TableGen capitalises a summary; ours begin in lower case, but for a symbol
/// in capitals such as "N-dimensional".
static std::string summaryOf(StringRef section) {
  std::string line = between(section, "\n_", "_\n").str();
  if (line.size() > 1 && line[1] != '-')
    line[0] = llvm::toLower(line[0]);
  return line;
}

static StringRef contractText(StringRef section) {
  StringRef text = section.split("```\n").second; // the fence opens
  text = text.split("```\n").second;              // and closes
  size_t end = std::min(text.find("\nTraits: "), text.find("\nInterfaces: "));
  return text.take_front(std::min(end, text.find("\n#### "))).trim('\n');
}

static OperatorContract parseContract(StringRef section) {
  OperatorContract contract;
  contract.name = between(section, "`nn.", "`").str();
  contract.summary = summaryOf(section);
  contract.text = contractText(section).str();
  contract.operands = namesIn(tableOf(section, "Operands"));
  contract.results = namesIn(tableOf(section, "Results"));
  contract.attributes = attributesIn(tableOf(section, "Attributes"));
  StringRef interfaces = between(section, "\nInterfaces: ", "\n");
  contract.isQuantizable = interfaces.contains("`Quantizable`");
  contract.isTable = interfaces.contains("`TableOperator`");
  return contract;
}

std::vector<OperatorContract>
tally::parseContracts(std::string_view documentation) {
  std::vector<OperatorContract> contracts;
  StringRef rest(documentation.data(), documentation.size());
  for (rest = rest.split("### `nn.").second; !rest.empty();) {
    auto [section, next] = rest.split("\n### `nn.");
    contracts.push_back(parseContract(("### `nn." + section).str()));
    rest = next;
  }
  return contracts;
}

/// "GlobalAveragePool" and "global_average_pool" alike.
static std::string key(StringRef name) {
  std::string result;
  for (char c : name)
    if (c != '_')
      result += llvm::toLower(c);
  return result;
}

const OperatorContract *
tally::contractNamedLike(const std::vector<OperatorContract> &contracts,
                         const std::string &modelOperator) {
  StringRef name = StringRef(modelOperator).rsplit('.').second;
  if (name.empty())
    name = modelOperator;
  auto find = [&](StringRef candidate) -> const OperatorContract * {
    for (const OperatorContract &contract : contracts)
      if (key(contract.name) == key(candidate))
        return &contract;
    return nullptr;
  };
  if (const OperatorContract *exact = find(name))
    return exact;
  if (!name.consume_front("QLinear") && !name.consume_back("Integer") &&
      !name.consume_back("Linear") && !name.consume_front("Q"))
    return nullptr;
  return find(name);
}
