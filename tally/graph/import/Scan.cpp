//===- Scan.cpp - import of Scan
//-------------------------------------------===//
//
// As a Loop whose every step takes the next part of its scanned inputs: the
// body is copied once a step, and what a step gives is carried to the next one
// or stacked.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/MovementSteps.h"
#include "tally/graph/import/Stacking.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

using Values = std::vector<ImportedValue>;

namespace {
/// What a Scan does along a dimension of an input or output.
struct ScanAxis {
  int64_t axis = 0;
  bool isReversed = false;
};

class ScanImport {
public:
  ScanImport(NodeImport &node, Subgraph body, std::vector<ScanAxis> cut,
             std::vector<ScanAxis> stack)
      : node(node), body(std::move(body)), cut(std::move(cut)),
        stack(std::move(stack)) {}

  /// One sequence. Inputs are the carried values, then what is scanned; results
  /// the carried values at the end, then what the steps give, stacked.
  Result<Values> run(ArrayRef<ImportedValue> inputs, const std::string &prefix);

private:
  Result<int64_t> lengthOf(ArrayRef<ImportedValue> scanned);
  Result<Values> partsOf(ArrayRef<ImportedValue> scanned, int64_t step,
                         int64_t length);
  Result<ImportedValue> stackedOutput(size_t output, Values steps);

  NodeImport &node;
  Subgraph body;
  std::vector<ScanAxis> cut, stack; ///< by scanned input, by stacked output
};
} // namespace

/// Part `i` of `value` along `axis`, without that dimension.
static Result<ImportedValue>
partOf(NodeImport &node, const ImportedValue &value, int64_t axis, int64_t i) {
  auto checked = checkedAxis(node, axis, tensorType(value.value).getRank());
  if (!checked)
    return checked.takeError();
  std::vector<DimRange> ranges = wholeRanges(value.value);
  ranges[*checked] = {i, 1, 1};
  auto part = sliced(node, value.value, ranges);
  if (!part)
    return part.takeError();
  SmallVector<int64_t> shape(shapeOf(*part));
  shape.erase(shape.begin() + *checked);
  auto result = reshaped(node, *part, shape);
  if (!result)
    return result.takeError();
  return ImportedValue{*result, value.narrow};
}

Result<int64_t> ScanImport::lengthOf(ArrayRef<ImportedValue> scanned) {
  std::optional<int64_t> length;
  for (auto [value, along] : llvm::zip_equal(scanned, cut)) {
    ArrayRef<int64_t> shape = shapeOf(value.value);
    auto axis = normalizeAxis(along.axis, static_cast<int64_t>(shape.size()));
    if (!axis || shape[*axis] != length.value_or(shape[*axis]))
      return node.failure(
          FailureKind::Model, "FLOW-7",
          "dimension " + std::to_string(along.axis) +
              " of a scanned input of shape " + shapeText(shape) +
              (axis ? " is not as long as the others'" : " does not exist"));
    length = shape[*axis];
  }
  return *length;
}

Result<Values> ScanImport::partsOf(ArrayRef<ImportedValue> scanned,
                                   int64_t step, int64_t length) {
  Values parts;
  for (auto [value, along] : llvm::zip_equal(scanned, cut)) {
    auto part = partOf(node, value, along.axis,
                       along.isReversed ? length - 1 - step : step);
    if (!part)
      return part.takeError();
    parts.push_back(*part);
  }
  return parts;
}

Result<ImportedValue> ScanImport::stackedOutput(size_t output, Values steps) {
  if (stack[output].isReversed)
    std::reverse(steps.begin(), steps.end());
  size_t carried = body.graph().outputs.size() - stack.size();
  return stacked(node, steps, stack[output].axis,
                 body.graph().outputs[carried + output]);
}

Result<Values> ScanImport::run(ArrayRef<ImportedValue> inputs,
                               const std::string &prefix) {
  Values carried = inputs.drop_back(cut.size()).vec();
  ArrayRef<ImportedValue> scanned = inputs.take_back(cut.size());
  auto length = lengthOf(scanned);
  if (!length)
    return length.takeError();
  std::vector<Values> stacks(stack.size());
  for (int64_t i = 0; i < *length; ++i) {
    std::string step = prefix + std::to_string(i);
    node.loc = node.stepLocation(step);
    if (Status status = chargeUnrolled(node, 1); !status)
      return status.takeError();
    auto parts = partsOf(scanned, i, *length);
    if (!parts)
      return parts.takeError();
    Values arguments = carried;
    llvm::append_range(arguments, *parts);
    auto outputs = body.copy(arguments, "@" + step);
    if (!outputs)
      return outputs.takeError();
    carried.assign(outputs->begin(), outputs->end() - stacks.size());
    for (size_t j = 0; j < stacks.size(); ++j)
      stacks[j].push_back((*outputs)[carried.size() + j]);
  }
  Values results = std::move(carried);
  node.loc = node.stepLocation("");
  for (size_t j = 0; j < stacks.size(); ++j) {
    auto whole = stackedOutput(j, std::move(stacks[j]));
    if (!whole)
      return whole.takeError();
    results.push_back(*whole);
  }
  return results;
}

/// One entry per input or output: axes and directions (1: backwards) are lists
/// of the node, 0 where it has none.
static Result<std::vector<ScanAxis>> axesOf(NodeImport &node, size_t count,
                                            const char *axes,
                                            const char *directions) {
  std::vector<int64_t> none(count, 0);
  auto axisList = node.intsAttr(axes).value_or(none);
  auto directionList = node.intsAttr(directions).value_or(none);
  if (axisList.size() != count || directionList.size() != count)
    return node.failure(FailureKind::Model, "FLOW-7",
                        std::string(axes) + " and " + directions + " need " +
                            std::to_string(count) + " entries");
  std::vector<ScanAxis> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back({axisList[i], directionList[i] == 1});
  return result;
}

/// Inputs from `first` on: carried values, then as many scanned ones as the
/// attribute num_scan_inputs says.
static Result<ScanImport> readScan(NodeImport &node, size_t first,
                                   const char *directions) {
  size_t inputs = node.numInputs() - first;
  auto scanned = static_cast<size_t>(node.intAttr("num_scan_inputs", 0));
  size_t outputs = node.node.outputs.size();
  if (scanned < 1 || scanned > inputs || outputs + scanned < inputs)
    return node.failure(FailureKind::Model, "FLOW-5",
                        "num_scan_inputs is " + std::to_string(scanned) +
                            ", with " + std::to_string(inputs) +
                            " inputs and " + std::to_string(outputs) +
                            " outputs");
  auto body = Subgraph::of(node, "body", inputs, outputs);
  if (!body)
    return body.takeError();
  auto cut = axesOf(node, scanned, "scan_input_axes", directions);
  if (!cut)
    return cut.takeError();
  auto stack = axesOf(node, outputs + scanned - inputs, "scan_output_axes",
                      "scan_output_directions");
  if (!stack)
    return stack.takeError();
  return ScanImport(node, *body, *cut, *stack);
}

static Result<Values> inputsFrom(NodeImport &node, size_t first) {
  Values inputs;
  for (size_t i = first; i < node.numInputs(); ++i) {
    if (Status status = node.need(i); !status)
      return status.takeError();
    inputs.push_back(importedInput(node, i));
  }
  return inputs;
}

static Status scan(NodeImport &node) {
  auto import = readScan(node, 0, "scan_input_directions");
  if (!import)
    return import.takeError();
  auto inputs = inputsFrom(node, 0);
  if (!inputs)
    return inputs.takeError();
  return bindAllImported(node, import->run(*inputs, ""));
}

/// Operator set 8: every input has a batch dimension in front, which the body
/// does not see, and operand 0 may give each sequence its length.
static Result<Values> batchedResults(NodeImport &node, ScanImport &import,
                                     ArrayRef<ImportedValue> inputs) {
  int64_t batch = shapeOf(inputs[0].value).front();
  std::vector<Values> rows(node.node.outputs.size());
  for (int64_t b = 0; b < batch; ++b) {
    Values row;
    for (const ImportedValue &input : inputs) {
      auto part = partOf(node, input, 0, b);
      if (!part)
        return part.takeError();
      row.push_back(*part);
    }
    auto results = import.run(row, std::to_string(b) + ".");
    if (!results)
      return results.takeError();
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back((*results)[i]);
  }
  Values whole;
  for (const Values &row : rows) {
    auto value = stacked(node, row, 0, {});
    if (!value)
      return value.takeError();
    whole.push_back(*value);
  }
  return whole;
}

static Status batchedScan(NodeImport &node) {
  if (node.hasInput(0))
    return node.unsupported("sequence lengths are not supported in operator "
                            "set 8");
  auto import = readScan(node, 1, "directions");
  if (!import)
    return import.takeError();
  auto inputs = inputsFrom(node, 1);
  if (!inputs)
    return inputs.takeError();
  for (const ImportedValue &input : *inputs)
    if (shapeOf(input.value).empty() ||
        shapeOf(input.value)[0] != shapeOf(inputs->front().value)[0])
      return node.failure(FailureKind::Model, "FLOW-7",
                          "the inputs have no batch dimension of one size");
  return bindAllImported(node, batchedResults(node, *import, *inputs));
}

llvm::ArrayRef<ImportRow> tally::nn::scanRows() {
  static const ImportRow rows[] = {
      {"", "Scan", 8, batchedScan, 0},
      {"", "Scan", 9, scan},
  };
  return rows;
}
