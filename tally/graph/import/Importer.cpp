//===- Importer.cpp - model structs to the nn dialect ---------------------===//
//
// Bind dimensions, check that every operator has a row, then walk the nodes in
// their order. Only nodes that the outputs need are imported, so cutting the
// graph also drops what is behind the cut.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/import/Importer.h"
#include "tally/graph/Locations.h"
#include "tally/graph/import/BiasRows.h"
#include "tally/graph/import/BoundInput.h"
#include "tally/graph/import/ImportedConstant.h"
#include "tally/graph/import/ModelTensor.h"
#include "tally/graph/import/NodeImport.h"
#include "tally/graph/import/UnsupportedNodes.h"
#include "tally/ops/HandedOn.h"
#include "tally/support/CheckedMath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally;
using namespace tally::nn;

static tally::Diagnostic modelError(FailureKind kind, std::string rule,
                                    std::string message,
                                    std::string hint = "") {
  tally::Diagnostic failure;
  failure.kind = kind;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// The model's text of a shape, such as "Nx3x?", with `open` for dimensions
/// that are not fixed when it is given.
static std::string dimsText(const std::vector<model::Dim> &dims,
                            const char *open = nullptr) {
  auto text = [&](const model::Dim &dim) {
    if (dim.kind == model::Dim::Kind::Fixed)
      return std::to_string(dim.size);
    bool isNamed = dim.kind == model::Dim::Kind::Symbol;
    return open ? open : isNamed ? dim.symbol : std::string("?");
  };
  return dims.empty() ? "scalar" : llvm::join(llvm::map_range(dims, text), "x");
}

static const model::ValueInfo *findInfo(const model::Graph &graph,
                                        const std::string &name) {
  for (const auto *list : {&graph.inputs, &graph.valueInfos, &graph.outputs})
    for (const model::ValueInfo &info : *list)
      if (info.name == name)
        return &info;
  return nullptr;
}

/// Where the graph starts: at the model's inputs, or where it is cut (at those
/// tensors whose type and shape the model states).
static std::vector<model::ValueInfo>
borderInputs(const model::Graph &graph, const ImportOptions &options) {
  if (options.inputs.empty())
    return graph.inputs;
  std::vector<model::ValueInfo> inputs;
  for (const std::string &name : options.inputs)
    if (const model::ValueInfo *info = findInfo(graph, name))
      if (info->dims)
        inputs.push_back(*info);
  return inputs;
}

static bool isBound(const model::ValueInfo &input, const model::Dim &dim,
                    const ImportOptions &options) {
  return dim.kind == model::Dim::Kind::Fixed ||
         options.shapes.count(input.name) ||
         (dim.kind == model::Dim::Kind::Symbol &&
          options.dims.count(dim.symbol));
}

std::vector<UnboundDimension>
tally::nn::unboundDimensions(const model::Model &model,
                             const ImportOptions &options) {
  std::vector<UnboundDimension> unbound;
  llvm::StringSet<> seen;
  for (const model::ValueInfo &input : borderInputs(model.graph, options)) {
    if (!input.isTensor() || options.shapes.count(input.name))
      continue;
    if (!input.dims) {
      unbound.push_back({input.name, "rank", "--shape " + input.name + "=..."});
      continue;
    }
    for (size_t i = 0; i < input.dims->size(); ++i) {
      const model::Dim &dim = (*input.dims)[i];
      if (isBound(input, dim, options))
        continue;
      bool named = dim.kind == model::Dim::Kind::Symbol;
      std::string option =
          named ? "--dim " + dim.symbol + "=1"
                : "--shape " + input.name + "=" + dimsText(*input.dims, "1");
      if (seen.insert(option).second)
        unbound.push_back(
            {input.name, named ? dim.symbol : "dimension " + std::to_string(i),
             option});
    }
  }
  return unbound;
}

static Status checkUnbound(const model::Model &model,
                           const ImportOptions &options) {
  auto unbound = unboundDimensions(model, options);
  if (unbound.empty())
    return Status::success();
  std::string names, paste;
  for (const UnboundDimension &entry : unbound) {
    names += (names.empty() ? "" : ", ") + ("'" + entry.dimension + "'") +
             " of input '" + entry.input + "'";
    paste += (paste.empty() ? "" : " ") + entry.option;
  }
  return modelError(FailureKind::Usage, "IMP-1",
                    "dimensions are not bound: " + names,
                    "add, with the sizes you want: " + paste);
}

/// "WHAT: a, b", or "the model has no WHAT".
static std::string listed(const std::string &what,
                          const llvm::StringSet<> &names) {
  std::vector<std::string> sorted;
  for (const auto &entry : names)
    sorted.push_back(entry.getKey().str());
  llvm::sort(sorted);
  return sorted.empty() ? "the model has no " + what
                        : what + ": " + llvm::join(sorted, ", ");
}

/// --dim, --shape and --bind must name something that exists.
static Status checkBindings(const model::Model &model,
                            const ImportOptions &options) {
  llvm::StringSet<> symbols, inputs;
  for (const model::ValueInfo &input : borderInputs(model.graph, options)) {
    inputs.insert(input.name);
    for (const model::Dim &dim : input.dims.value_or(std::vector<model::Dim>()))
      if (dim.kind == model::Dim::Kind::Symbol)
        symbols.insert(dim.symbol);
  }
  for (const auto &[name, size] : options.dims)
    if (!symbols.contains(name))
      return modelError(FailureKind::Usage, "IMP-2",
                        "no input has a dimension named '" + name + "'",
                        listed("named dimensions", symbols));
  std::vector<std::string> named;
  named.reserve(options.shapes.size() + options.bindings.size());
  for (const auto &[name, shape] : options.shapes)
    named.push_back(name);
  for (const auto &[name, value] : options.bindings)
    named.push_back(name);
  for (const std::string &name : named)
    if (!inputs.contains(name))
      return modelError(FailureKind::Usage, "IMP-2",
                        "there is no input named '" + name + "'",
                        listed("inputs", inputs));
  return Status::success();
}

/// A shape given for an input keeps to the sizes given for its dimensions.
static Status checkAgainstDims(const model::ValueInfo &input,
                               const std::vector<int64_t> &shape,
                               const ImportOptions &options) {
  for (auto [dim, size] : llvm::zip_equal(*input.dims, shape)) {
    if (dim.kind != model::Dim::Kind::Symbol)
      continue;
    auto bound = options.dims.find(dim.symbol);
    if (bound != options.dims.end() && bound->second != size)
      return modelError(FailureKind::Usage, "IMP-2",
                        "shape " + shapeText(shape) + " given for input '" +
                            input.name + "' makes dimension '" + dim.symbol +
                            "' " + std::to_string(size) + ", but --dim binds " +
                            dim.symbol + "=" + std::to_string(bound->second),
                        "leave one of both out, or give both the same size");
  }
  return Status::success();
}

static Result<std::vector<int64_t>> boundShape(const model::ValueInfo &input,
                                               const ImportOptions &options) {
  std::vector<int64_t> shape;
  auto given = options.shapes.find(input.name);
  if (given != options.shapes.end()) {
    shape = given->second;
    bool fits = !input.dims || input.dims->size() == shape.size();
    for (size_t i = 0; fits && input.dims && i < shape.size(); ++i)
      fits = (*input.dims)[i].kind != model::Dim::Kind::Fixed ||
             (*input.dims)[i].size == shape[i];
    if (!fits)
      return modelError(FailureKind::Usage, "IMP-2",
                        "shape " + shapeText(shape) + " given for input '" +
                            input.name + "' does not fit the model's " +
                            dimsText(*input.dims));
    if (Status status = input.dims ? checkAgainstDims(input, shape, options)
                                   : Status::success();
        !status)
      return status.takeError();
  } else {
    for (const model::Dim &dim : *input.dims)
      shape.push_back(dim.kind == model::Dim::Kind::Fixed
                          ? dim.size
                          : options.dims.at(dim.symbol));
  }
  if (!checkedElementCount(shape))
    return modelError(FailureKind::Model, "IMP-2",
                      "shape " + shapeText(shape) + " of input '" + input.name +
                          "' is too large");
  return shape;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {
class GraphImport {
public:
  GraphImport(MLIRContext &context, const model::Model &model,
              const ImportOptions &options)
      : builder(&context), model(model), options(options) {}

  Result<OwningOpRef<ModuleOp>> run();

private:
  Status chooseBorders();
  Status keepNeeded();
  Status makeFunction(ModuleOp module);
  Status addInputs(func::FuncOp function);
  Status addArgument(func::FuncOp function, const model::ValueInfo &input,
                     RankedTensorType type);
  Status addBound(func::FuncOp function, const model::ValueInfo &input,
                  RankedTensorType type);
  Status addConstants();
  Status addNodes();
  const model::Node *makerOf(llvm::StringRef name) const;
  void addReturn(func::FuncOp function);

  OpBuilder builder;
  const model::Model &model;
  const ImportOptions &options;
  std::vector<model::ValueInfo> inputs;
  std::vector<std::string> outputs;
  std::vector<const model::Node *> nodes; ///< needed, in order
  llvm::StringSet<> needed;
  ImportedValues imported;
};
} // namespace

Status GraphImport::chooseBorders() {
  llvm::StringSet<> known;
  for (const model::Node &node : model.graph.nodes)
    for (const std::string &output : node.outputs)
      known.insert(output);
  for (const model::ValueInfo &input : model.graph.inputs)
    known.insert(input.name);
  for (const std::string &name : options.inputs) {
    const model::ValueInfo *info = findInfo(model.graph, name);
    if (!info || !info->dims)
      return modelError(FailureKind::Usage, "IMP-4",
                        "cannot cut at '" + name +
                            "': the model does not state its type and shape");
  }
  inputs = borderInputs(model.graph, options);
  outputs = options.outputs;
  if (outputs.empty())
    for (const model::ValueInfo &output : model.graph.outputs)
      outputs.push_back(output.name);
  for (const std::string &name : outputs)
    if (!known.contains(name) &&
        llvm::none_of(model.graph.initializers,
                      [&](const auto &data) { return data.name == name; }))
      return modelError(FailureKind::Usage, "IMP-4",
                        "there is no tensor named '" + name + "'");
  return Status::success();
}

Status GraphImport::keepNeeded() {
  for (const std::string &name : outputs)
    needed.insert(name);
  llvm::StringSet<> isInput;
  for (const model::ValueInfo &input : inputs)
    isInput.insert(input.name);
  for (const model::Node &node : llvm::reverse(model.graph.nodes)) {
    bool makesNeeded = llvm::any_of(node.outputs, [&](const auto &output) {
      return needed.contains(output) && !isInput.contains(output);
    });
    if (!makesNeeded)
      continue;
    nodes.push_back(&node);
    visitReads(node, [&](const std::string &name) { needed.insert(name); });
  }
  std::reverse(nodes.begin(), nodes.end());
  if (options.inputs.empty())
    return Status::success();
  for (const model::ValueInfo &input : model.graph.inputs)
    if (needed.contains(input.name) && !isInput.contains(input.name))
      return modelError(FailureKind::Usage, "IMP-4",
                        "the outputs still need input '" + input.name + "'",
                        "add it to --inputs");
  return Status::success();
}

Status GraphImport::addArgument(func::FuncOp function,
                                const model::ValueInfo &input,
                                RankedTensorType type) {
  unsigned index = function.getNumArguments();
  auto attributes = builder.getDictionaryAttr(
      builder.getNamedAttr("nn.name", builder.getStringAttr(input.name)));
  if (failed(function.insertArgument(index, type, attributes,
                                     builder.getUnknownLoc())))
    return modelError(FailureKind::Internal, "", "cannot add an argument");
  imported.values[input.name] = function.getArgument(index);
  return Status::success();
}

/// An input with a value on the command line is a constant.
Status GraphImport::addBound(func::FuncOp function,
                             const model::ValueInfo &input,
                             RankedTensorType type) {
  auto tensor =
      boundTensor(input, describe(type), options.bindings.at(input.name));
  if (!tensor)
    return tensor.takeError();
  ElementsAttr value = elementsAttr(builder.getContext(), *tensor, input.name);
  Location loc =
      nodeLocation(builder.getContext(), input.name, "Constant", {input.name});
  imported.values[input.name] = ConstantOp::create(builder, loc, type, value);
  auto module = function->getParentOfType<ModuleOp>();
  NamedAttrList bound(module->getAttrOfType<DictionaryAttr>("nn.bound"));
  bound.set(input.name, value);
  module->setAttr("nn.bound", bound.getDictionary(builder.getContext()));
  return Status::success();
}

Status GraphImport::addInputs(func::FuncOp function) {
  for (const model::ValueInfo &input : inputs) {
    auto element = input.isTensor() ? elementOfModel(input.type) : std::nullopt;
    if (!element)
      return modelError(FailureKind::Unsupported, "IMP-7",
                        "input '" + input.name + "' is a " +
                            (input.isTensor()
                                 ? std::string(elementTypeName(input.type))
                                 : input.nonTensor) +
                            ", which no executor handles");
    auto shape = boundShape(input, options);
    if (!shape)
      return shape.takeError();
    auto type =
        RankedTensorType::get(*shape, typeOf(builder.getContext(), *element));
    bool isBound = options.bindings.count(input.name);
    if (Status status = isBound ? addBound(function, input, type)
                                : addArgument(function, input, type);
        !status)
      return status;
    noteNarrow(imported, input.name, input.type);
  }
  return Status::success();
}

Status GraphImport::addConstants() {
  for (const model::TensorData &data : model.graph.initializers)
    if (needed.contains(data.name) && !imported.values.count(data.name))
      if (Status status = importConstant(builder, imported, data); !status)
        return status;
  return Status::success();
}

Status GraphImport::addNodes() {
  for (const model::Node *node : nodes)
    if (Status status = importNode(builder, imported, *node); !status)
      return status;
  return Status::success();
}

/// The node that has an output `name`, or null.
const model::Node *GraphImport::makerOf(llvm::StringRef name) const {
  auto found = llvm::find_if(nodes, [&](const model::Node *node) {
    return llvm::is_contained(node->outputs, name);
  });
  return found == nodes.end() ? nullptr : *found;
}

void GraphImport::addReturn(func::FuncOp function) {
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (const std::string &name : outputs) {
    results.push_back(imported.values.lookup(name));
    types.push_back(results.back().getType());
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  for (auto [i, name] : llvm::enumerate(outputs)) {
    function.setResultAttr(i, "nn.name", builder.getStringAttr(name));
    if (const model::Node *node = makerOf(name); node && handedOn(results[i]))
      function.setResultAttr(i, kHandingNode,
                             builder.getStringAttr(node->name));
  }
}

Status GraphImport::makeFunction(ModuleOp module) {
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), "main",
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  if (Status status = addInputs(function); !status)
    return status;
  if (Status status = addConstants(); !status)
    return status;
  if (Status status = addNodes(); !status)
    return status;
  addReturn(function);
  joinBiasRows(function);
  return Status::success();
}

Result<OwningOpRef<ModuleOp>> GraphImport::run() {
  if (Status status = chooseBorders(); !status)
    return status.takeError();
  for (auto check : {checkBindings, checkUnbound})
    if (Status status = check(model, options); !status)
      return status.takeError();
  if (Status status = keepNeeded(); !status)
    return status.takeError();
  if (Status status = checkSupported(nodes); !status)
    return status.takeError();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  module.get()->setAttr("nn.file", builder.getStringAttr(options.file));
  if (Status status = makeFunction(*module); !status)
    return status.takeError();
  return module;
}

Result<OwningOpRef<ModuleOp>>
tally::nn::importModel(MLIRContext &context, const model::Model &model,
                       const ImportOptions &options) {
  context.loadDialect<NnDialect, func::FuncDialect>();
  auto module = GraphImport(context, model, options).run();
  if (module)
    return module;
  tally::Diagnostic failure = module.takeError();
  failure.file = options.file;
  return failure;
}
