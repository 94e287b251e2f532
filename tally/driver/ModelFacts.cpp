//===- ModelFacts.cpp - the facts of a model for its report ---------------===//

#include "tally/driver/ModelFacts.h"
#include "tally/driver/Phases.h"
#include "tally/driver/StateArguments.h"
#include "tally/graph/Locations.h"
#include "tally/graph/import/Importer.h"
#include "tally/model/OnnxReader.h"
#include "tally/ops/Cost.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/quantize/Quantize.h"
#include "tally/rewrite/state/Declare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static ReportedTensor reported(const model::ValueInfo &info) {
  ReportedTensor tensor;
  tensor.name = model::printable(info.name);
  tensor.type = info.isTensor() ? std::string(elementTypeName(info.type))
                                : info.nonTensor;
  tensor.hasRank = info.isTensor() && info.dims.has_value();
  if (tensor.hasRank)
    for (const model::Dim &dim : *info.dims)
      tensor.dims.push_back(
          dim.kind == model::Dim::Kind::Fixed    ? std::to_string(dim.size)
          : dim.kind == model::Dim::Kind::Symbol ? model::printable(dim.symbol)
                                                 : "?");
  return tensor;
}

static bool isQuantizedOperator(const std::string &type) {
  StringRef name = type;
  return name.starts_with("QLinear") || name == "QGemm" ||
         name == "QAttention" || name.ends_with("Integer");
}

/// Constants with more than one element, by name.
static int64_t constantSize(const model::Graph &graph,
                            const std::string &name) {
  for (const model::TensorData &data : graph.initializers)
    if (data.name == name)
      return data.elementCount();
  return 0;
}

static void countStyle(const model::Graph &graph, const model::Node &node,
                       QuantizationStyle &style) {
  bool quantizes = node.opType == "QuantizeLinear";
  bool dequantizes = node.opType == "DequantizeLinear";
  style.quantizeNodes += quantizes;
  style.dequantizeNodes += dequantizes;
  style.dynamicNodes += node.opType == "DynamicQuantizeLinear";
  style.operatorNodes += isQuantizedOperator(node.opType);
  // The weight's scale of QLinearConv and QLinearMatMul is operand 4.
  size_t scale = quantizes || dequantizes ? 1
                 : StringRef(node.opType).starts_with("QLinear")
                     ? 4
                     : node.inputs.size();
  if (node.hasInput(scale) && constantSize(graph, node.inputs[scale]) > 1)
    ++style.perChannel;
}

static ModelReport describeFile(const model::Model &model,
                                const nn::ImportOptions &options) {
  ModelReport report;
  report.path = options.file;
  report.irVersion = model.irVersion;
  report.opsets = model.opsets;
  report.producer = model::printable(model.producerName);
  if (!report.producer.empty() && !model.producerVersion.empty())
    report.producer += " " + model::printable(model.producerVersion);
  for (const model::ValueInfo &input : model.graph.inputs)
    report.inputs.push_back(reported(input));
  for (const model::ValueInfo &output : model.graph.outputs)
    report.outputs.push_back(reported(output));
  for (const auto &dim : nn::unboundDimensions(model, options))
    report.unbound.push_back({dim.input, dim.dimension, dim.option});
  model::visitNodes(model.graph, [&](const auto &graph, const auto &node) {
    ++report.operators[node.fullOpType()];
    countStyle(graph, node, report.style);
  });
  report.unsupported = nn::unsupportedNodes(model.graph);
  return report;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static int64_t bytesOf(Value value) {
  eval::Tensor tensor = nn::describe(cast<RankedTensorType>(value.getType()));
  return tensor.byteCount();
}

/// Equal contents count once, as the compiler stores them once.
static int64_t constantBytes(func::FuncOp function) {
  std::vector<eval::Tensor> tensors; // own or borrow what `seen` refers to
  llvm::DenseSet<StringRef> seen;
  int64_t bytes = 0;
  for (auto op : function.getBody().front().getOps<nn::ConstantOp>()) {
    tensors.push_back(nn::hostTensor(op.getValue(), op.getType()));
    auto size = static_cast<size_t>(tensors.back().byteCount());
    if (seen.insert({tensors.back().data<char>(), size}).second)
      bytes += tensors.back().byteCount();
  }
  return bytes;
}

/// Sums what is alive at each operation: a tensor from its maker to its last
/// reader, inputs and outputs too. Views count as tensors of their own.
static void measureLife(func::FuncOp function, GraphFacts &facts) {
  Block &body = function.getBody().front();
  llvm::DenseMap<Operation *, int64_t> freed;
  llvm::DenseMap<Operation *, int64_t> position;
  for (auto [i, op] : llvm::enumerate(body))
    position[&op] = static_cast<int64_t>(i);
  int64_t alive = 0;
  auto begin = [&](Value value, Operation *maker) {
    Operation *last = maker;
    for (Operation *user : value.getUsers())
      if (!last || position[user] > position[last])
        last = user;
    alive += bytesOf(value);
    if (last)
      freed[last] += bytesOf(value);
  };
  for (BlockArgument argument : body.getArguments())
    begin(argument, nullptr);
  for (Operation &op : body) {
    if (isa<nn::ConstantOp>(op))
      continue;
    for (Value result : op.getResults())
      begin(result, &op);
    if (alive > facts.liveBytes) {
      facts.liveBytes = alive;
      facts.liveAt = nn::nodeName(&op);
    }
    alive -= freed.lookup(&op);
  }
}

/// As the model calls it; a module without a model calls it as we do.
static std::string operatorName(Operation *op) {
  StringRef inModel = nn::nodeOpType(op);
  return (inModel.empty() ? op->getName().getStringRef() : inModel).str();
}

static GraphFacts factsOf(ModuleOp module) {
  GraphFacts facts;
  rewrite::quantize(module);
  auto function = module.lookupSymbol<func::FuncOp>("main");
  facts.constantBytes = constantBytes(function);
  measureLife(function, facts);
  for (Operation &op : function.getBody().front().without_terminator())
    facts.macs += nn::multiplyAdds(&op).value_or(0);
  for (const rewrite::FloatNode &node : rewrite::floatNodes(function))
    facts.floatNodes.push_back({nn::nodeName(node.op), operatorName(node.op),
                                node.reason, node.suggestion});
  return facts;
}

/// Binds what is open to 1, by the options that a person would add.
static Status assumeOnes(const ModelReport &report, nn::ImportOptions &options,
                         std::string &assumed) {
  for (const ReportedDimension &dim : report.unbound) {
    StringRef option = dim.option;
    bool isDim = option.consume_front("--dim ");
    if (!isDim && !option.consume_front("--shape "))
      return usageError("", "unknown option " + dim.option);
    auto [name, value] = option.rsplit('=');
    auto shape = parseShape(value.str());
    if (!shape)
      return shape.takeError();
    if (isDim)
      options.dims[name.str()] = shape->front();
    else
      options.shapes[name.str()] = *shape;
    assumed += (assumed.empty() ? "" : " ") + dim.option;
  }
  return Status::success();
}

/// Figures of the graph, with the states that `arguments` declare; its failure
/// is one of these.
static Status addFacts(const model::Model &model, nn::ImportOptions options,
                       const ModelArguments &arguments, ModelReport &report) {
  std::string assumed;
  if (Status status = assumeOnes(report, options, assumed); !status) {
    report.noFacts = "dimensions are open";
    return Status::success();
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  options.file.clear(); // the report names it
  auto module = nn::importModel(context, model, options);
  if (!module) {
    report.noFacts = (assumed.empty() ? "" : "with " + assumed + ": ") +
                     module.error().str();
    return Status::success();
  }
  auto again = [&](const ModelArguments &other) {
    return nn::importModel(context, model, importOptions(other));
  };
  if (Status status = declareStates(**module, arguments, again); !status)
    return status;
  mlir::func::FuncOp function = mainFunction(**module);
  for (const rewrite::StatePair &pair :
       rewrite::proposedStates(function, /*grows=*/true)) {
    bool grows = bool(rewrite::grownAxis(function, pair));
    report.proposedStates.push_back({pair.output, pair.input, grows});
  }
  report.hasFacts = true;
  report.facts = factsOf(**module);
  report.facts.assumed = assumed;
  return Status::success();
}

Result<ModelReport> tally::examineModel(const ModelArguments &arguments) {
  auto model = model::readOnnxFile(arguments.path);
  if (!model)
    return model.takeError();
  nn::ImportOptions options = importOptions(arguments);
  ModelReport report = describeFile(*model, options);
  Status status = addFacts(*model, options, arguments, report);
  if (!status)
    return status.takeError();
  return report;
}
