//===- OnnxGraph.h - graphs, nodes and function calls -----------*- C++ -*-===//
//
// The reader's middle: one class, in three files by topic.
//
//   OnnxGraph.cpp        graphs: what they define, hold and give out; nodes
//   OnnxAttributes.cpp   attributes, references to parameters, Constant nodes
//   OnnxFunctions.cpp    which functions there are; calls replaced by bodies
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MODEL_ONNXGRAPH_H
#define TALLY_MODEL_ONNXGRAPH_H

#include "tally/model/OnnxNames.h"
#include "tally/model/OnnxTensor.h"

#include <map>
#include <tuple>

namespace tally::model {

using Opsets = std::map<std::string, int64_t>; ///< domain -> version

/// The imports in `protos`, checked against the rules OpsetRange and
/// OpsetImport; `owner` is what failures are about.
Result<Opsets> readOpsets(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &protos,
    std::string_view owner);

/// Graphs and function calls nest less deep than this.
inline constexpr int maxDepth = 64;

/// "" for "ai.onnx", else `domain`.
std::string normalDomain(const std::string &domain);

/// Text without rules: kept when it is UTF-8, else with escapes.
std::string readText(const std::string &text);

/// Fails with NameEncoding unless `name` is UTF-8; `what` says what it names.
Status checkName(const std::string &name, std::string_view what,
                 std::string_view node = {});

class GraphReader {
public:
  /// `inlineLimit`: bytes that copies of function bodies may take.
  GraphReader(onnx::ModelProto &model, const Opsets &opsets,
              TensorReader &tensors, uint64_t inlineLimit)
      : model(model), modelOpsets(opsets), tensors(tensors),
        inlineLeft(inlineLimit), inlineLimit(inlineLimit) {}

  /// The model's graph without calls of its functions.
  Result<Graph> readMain();

private:
  /// Whose nodes are read: the main graph's, or one call's copy of a body.
  struct Body {
    const Opsets *opsets = nullptr;
    const onnx::FunctionProto *function = nullptr; ///< null: the main graph
    const Body *caller = nullptr;
    std::string prefix;                          ///< of names made here
    std::map<std::string, Attribute> parameters; ///< that have a value
  };

  /// Names that can be read: the file's name to the name in the result. A
  /// parameter that a call leaves out is there as "".
  struct Scope {
    const Scope *outer = nullptr;
    std::unordered_map<std::string, std::string> names;

    const std::string *find(const std::string &name) const;
  };

  /// Where reading stands.
  struct Place {
    const Body &body;
    const Scope &scope;
    int depth;
  };

  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  using FunctionKey = std::tuple<std::string, std::string, std::string>;

  /// A function body's output that is not the result of a node of its own.
  struct OutputCopy {
    std::string source; ///< name in the body
    std::string target; ///< the caller's name
  };

  // OnnxGraph.cpp
  Result<Graph> readGraph(onnx::GraphProto &proto, const Body &body,
                          const Scope *outer, int depth);
  Status fillGraph(onnx::GraphProto &proto, const Place &at, Graph &graph);
  Status declare(const std::string &name, std::string finalName,
                 std::string_view what, Scope &scope);
  Status declareLocal(const std::string &name, std::string_view what,
                      const Body &body, Scope &scope);
  Status declareNodes(const Nodes &nodes, const Body &body, Scope &scope,
                      const std::map<std::string, std::string> &given);
  Status declareGraph(const onnx::GraphProto &proto, const Body &body,
                      Scope &scope);
  Status readInputs(const onnx::GraphProto &proto, const Place &at,
                    Graph &graph);
  Status readInitializers(onnx::GraphProto &proto, const Place &at,
                          Graph &graph);
  Status readOutputs(const onnx::GraphProto &proto, const Place &at,
                     Graph &graph);
  Status readValueInfos(
      const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &protos,
      const Place &at, Graph &graph);
  Result<ValueInfo> readValueInfo(const onnx::ValueInfoProto &proto,
                                  const Place &at);
  Status readNodes(Nodes &nodes, const Place &at, Graph &graph);
  Status readNode(onnx::NodeProto &proto, int index, const Place &at,
                  Graph &graph);
  Status readOrdinaryNode(onnx::NodeProto &proto, Node node, const Place &at,
                          Graph &graph);
  Result<std::string> nodeName(const onnx::NodeProto &proto, int index,
                               const Place &at);
  Result<std::string> resolve(const std::string &name, const Place &at,
                              std::string_view node);
  Result<int64_t> opsetFor(const std::string &domain, const Body &body,
                           std::string_view node) const;

  // OnnxAttributes.cpp
  Result<std::vector<Attribute>> readAttributes(onnx::NodeProto &proto,
                                                const Place &at,
                                                std::string_view node);
  Result<std::optional<Attribute>> readAttribute(onnx::AttributeProto &proto,
                                                 const Place &at,
                                                 std::string_view node);
  Result<std::optional<Attribute>>
  readReference(const onnx::AttributeProto &proto, const Place &at,
                std::string_view node);
  Result<Attribute::Value> readValue(onnx::AttributeProto &proto,
                                     const Place &at, std::string_view node);
  Result<Attribute::Value> readNumbersOrText(const onnx::AttributeProto &proto);
  Result<TensorData> readTensor(onnx::TensorProto &proto,
                                std::string_view node);
  Result<Attribute::Value> readTensors(onnx::AttributeProto &proto,
                                       std::string_view node);
  Result<Attribute::GraphPtr> readNested(onnx::GraphProto &proto,
                                         const Place &at);
  Result<Attribute::Value> readGraphs(onnx::AttributeProto &proto,
                                      const Place &at);
  Result<Attribute::Value> readTypes(const onnx::AttributeProto &proto,
                                     std::string_view node);

  // OnnxFunctions.cpp
  Status indexFunctions();
  onnx::FunctionProto *findFunction(const std::string &domain,
                                    const onnx::NodeProto &call) const;
  Status inlineCall(onnx::FunctionProto &function, onnx::NodeProto &call,
                    const std::string &name, const Place &at, Graph &graph);
  Status checkCall(const onnx::FunctionProto &function,
                   const onnx::NodeProto &call, const std::string &name,
                   const Place &at) const;
  Result<const Opsets *> functionOpsets(const onnx::FunctionProto &function);
  Status bindParameters(onnx::FunctionProto &function, onnx::NodeProto &call,
                        const std::string &name, const Place &at, Body &body);
  Status bindInputs(const onnx::FunctionProto &function,
                    const onnx::NodeProto &call, const std::string &name,
                    const Place &at, Scope &scope);
  Result<std::vector<OutputCopy>>
  bindOutputs(const onnx::FunctionProto &function, const onnx::NodeProto &call,
              const std::string &name, const Place &at, const Body &body,
              Scope &scope);
  Status chargeSignature(const onnx::FunctionProto &function, const Body &body);
  Status copyOutputs(const std::vector<OutputCopy> &copies,
                     const std::string &name, const Place &at, Graph &graph);
  Status charge(const Body &body, uint64_t bytes);

  onnx::ModelProto &model;
  const Opsets &modelOpsets;
  TensorReader &tensors;
  uint64_t inlineLeft;
  uint64_t inlineLimit;
  NameTable nodeNames;
  NameTable valueNames;
  std::map<FunctionKey, onnx::FunctionProto *> functions;
  std::map<const onnx::FunctionProto *, Opsets> opsetsByFunction;
};

} // namespace tally::model

#endif // TALLY_MODEL_ONNXGRAPH_H
