//===- OnnxFunctions.cpp - calls replaced by bodies -----------------------===//
//
// A model may define functions; a node whose domain, operator and overload are
// a function's is a call. Each call is read as a copy of the body:
//
//   call "norm_1": y = Norm(x)            body of Norm(a) -> (c):
//                                           b = Abs(a)
//                                           c = Sqrt(b)
//   becomes  norm_1/b = Abs(x)   named norm_1/Abs_0
//            y = Sqrt(norm_1/b)  named norm_1/Sqrt_1
//
// that is, parameters take the caller's names, results that the call takes
// have the caller's names from the start, and all else is prefixed. A result
// that is itself a parameter, or stands twice among the results, needs an
// Identity node.
//
// The body sees no names and no attributes of the caller but what is passed,
// and has operator set versions of its own. Copies of copies can grow without
// bound (ten functions that call each other ten times each), so each copied
// byte is charged to a budget.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxGraph.h"

#include "tally/model/OnnxRules.h"

#include <algorithm>

namespace tally::model {

static Status checkImport(const std::string &domain, int64_t version,
                          std::string_view owner) {
  constexpr int64_t oldest = 7, newest = 28;
  if (domain.empty() && (version < oldest || version > newest))
    return breaks(OnnxRule::OpsetRange,
                  "operator set " + std::to_string(version) +
                      " is not among the versions " + std::to_string(oldest) +
                      " to " + std::to_string(newest) + " that are supported",
                  owner);
  if (version < 1)
    return breaks(OnnxRule::OpsetImport,
                  "the domain '" + printable(domain) +
                      "' is imported in version " + std::to_string(version),
                  owner);
  return Status::success();
}

Result<Opsets> readOpsets(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &protos,
    std::string_view owner) {
  Opsets opsets;
  for (const onnx::OperatorSetIdProto &proto : protos) {
    if (Status status = checkName(proto.domain(), "domain", owner); !status)
      return status.takeError();
    std::string domain = normalDomain(proto.domain());
    if (Status status = checkImport(domain, proto.version(), owner); !status)
      return status.takeError();
    if (!opsets.emplace(domain, proto.version()).second)
      return breaks(OnnxRule::OpsetImport,
                    "the domain '" +
                        (domain.empty() ? "ai.onnx" : printable(domain)) +
                        "' is imported twice",
                    owner);
  }
  return opsets;
}

Status GraphReader::charge(const Body &body, uint64_t bytes) {
  if (!body.function)
    return Status::success();
  if (bytes > inlineLeft)
    return breaks(OnnxRule::LimitInlining,
                  "inlining functions would grow the model by more than " +
                      std::to_string(inlineLimit) + " bytes",
                  body.prefix);
  inlineLeft -= bytes;
  return Status::success();
}

Status GraphReader::indexFunctions() {
  for (onnx::FunctionProto &function : *model.mutable_functions()) {
    if (function.name().empty())
      return breaks(OnnxRule::NameEmpty, "there is a function without a name");
    if (Status status = checkName(function.name(), "function"); !status)
      return status;
    FunctionKey key{normalDomain(function.domain()), function.name(),
                    function.overload()};
    if (!functions.emplace(std::move(key), &function).second)
      return breaks(OnnxRule::FunctionTwice,
                    "the function of domain '" + printable(function.domain()) +
                        "' is defined twice with overload '" +
                        printable(function.overload()) + "'",
                    function.name());
  }
  return Status::success();
}

onnx::FunctionProto *
GraphReader::findFunction(const std::string &domain,
                          const onnx::NodeProto &call) const {
  if (functions.empty())
    return nullptr;
  auto found =
      functions.find(FunctionKey{domain, call.op_type(), call.overload()});
  return found == functions.end() ? nullptr : found->second;
}

Status GraphReader::inlineCall(onnx::FunctionProto &function,
                               onnx::NodeProto &call, const std::string &name,
                               const Place &at, Graph &graph) {
  if (Status status = checkCall(function, call, name, at); !status)
    return status;
  Result<const Opsets *> opsets = functionOpsets(function);
  if (!opsets)
    return opsets.takeError();
  Body body{*opsets, &function, &at.body, name + "/", {}};
  Scope scope;
  if (Status status = chargeSignature(function, body); !status)
    return status;
  if (Status status = bindParameters(function, call, name, at, body); !status)
    return status;
  if (Status status = bindInputs(function, call, name, at, scope); !status)
    return status;
  Result<std::vector<OutputCopy>> copies =
      bindOutputs(function, call, name, at, body, scope);
  if (!copies)
    return copies.takeError();
  Place inside{body, scope, at.depth + 1};
  if (Status status = readNodes(*function.mutable_node(), inside, graph);
      !status)
    return status;
  if (Status status = readValueInfos(function.value_info(), inside, graph);
      !status)
    return status;
  return copyOutputs(*copies, name, inside, graph);
}

Status GraphReader::checkCall(const onnx::FunctionProto &function,
                              const onnx::NodeProto &call,
                              const std::string &name, const Place &at) const {
  for (const Body *body = &at.body; body; body = body->caller)
    if (body->function == &function)
      return breaks(OnnxRule::FunctionRecursive,
                    "the function '" + printable(function.name()) +
                        "' is called within itself",
                    name);
  if (at.depth + 1 >= maxDepth)
    return breaks(OnnxRule::LimitDepth,
                  "graphs and function calls nest " + std::to_string(maxDepth) +
                      " deep",
                  name);
  auto tooMany = [&](int given, int declared, std::string_view what) {
    return breaks(OnnxRule::FunctionCall,
                  "the call of '" + printable(function.name()) + "' has " +
                      std::to_string(given) + " " + std::string(what) +
                      ", but the function has " + std::to_string(declared),
                  name);
  };
  if (call.input_size() > function.input_size())
    return tooMany(call.input_size(), function.input_size(), "inputs");
  if (call.output_size() > function.output_size())
    return tooMany(call.output_size(), function.output_size(), "outputs");
  return Status::success();
}

/// Each call binds all inputs, outputs and defaults, also those that it and the
/// body leave alone; a short call of a function with a long signature is dear.
Status GraphReader::chargeSignature(const onnx::FunctionProto &function,
                                    const Body &body) {
  uint64_t bytes = 0;
  for (const auto *names : {&function.input(), &function.output()})
    for (const std::string &name : *names)
      bytes += sizeof(std::string) + name.size();
  for (const onnx::AttributeProto &parameter : function.attribute_proto())
    bytes += sizeof(Attribute) + parameter.ByteSizeLong();
  return charge(body, bytes);
}

/// The function's imports; domains that it leaves out are as in the model.
Result<const Opsets *>
GraphReader::functionOpsets(const onnx::FunctionProto &function) {
  auto found = opsetsByFunction.find(&function);
  if (found != opsetsByFunction.end())
    return &found->second;
  Result<Opsets> opsets = readOpsets(function.opset_import(), function.name());
  if (!opsets)
    return opsets.takeError();
  opsets->insert(modelOpsets.begin(), modelOpsets.end());
  return &opsetsByFunction.emplace(&function, std::move(*opsets)).first->second;
}

Status GraphReader::bindParameters(onnx::FunctionProto &function,
                                   onnx::NodeProto &call,
                                   const std::string &name, const Place &at,
                                   Body &body) {
  Scope nothing;
  for (onnx::AttributeProto &proto : *function.mutable_attribute_proto()) {
    // A default is no place for a reference: the body has no parameters yet.
    Result<std::optional<Attribute>> attribute =
        readAttribute(proto, {body, nothing, at.depth + 1}, name);
    if (!attribute)
      return attribute.takeError();
    if (!*attribute)
      continue;
    if (!body.parameters.emplace(proto.name(), std::move(**attribute)).second)
      return breaks(OnnxRule::AttributeTwice,
                    "the function '" + printable(function.name()) +
                        "' has the attribute '" + printable(proto.name()) +
                        "' twice",
                    name);
  }
  Result<std::vector<Attribute>> given = readAttributes(call, at, name);
  if (!given)
    return given.takeError();
  for (Attribute &attribute : *given) {
    const auto &declared = function.attribute();
    if (!body.parameters.contains(attribute.name) &&
        std::find(declared.begin(), declared.end(), attribute.name) ==
            declared.end())
      return breaks(OnnxRule::FunctionCall,
                    "the function '" + printable(function.name()) +
                        "' has no attribute '" + printable(attribute.name) +
                        "'",
                    name);
    std::string key = attribute.name;
    body.parameters.insert_or_assign(std::move(key), std::move(attribute));
  }
  return Status::success();
}

Status GraphReader::bindInputs(const onnx::FunctionProto &function,
                               const onnx::NodeProto &call,
                               const std::string &name, const Place &at,
                               Scope &scope) {
  for (int i = 0; i < function.input_size(); ++i) {
    std::string value;
    if (i < call.input_size()) {
      Result<std::string> resolved = resolve(call.input(i), at, name);
      if (!resolved)
        return resolved.takeError();
      value = std::move(*resolved);
    }
    if (Status status = declare(function.input(i), std::move(value),
                                "function input", scope);
        !status)
      return status;
  }
  return Status::success();
}

/// Declares what the body's nodes make and returns what they do not make.
Result<std::vector<GraphReader::OutputCopy>>
GraphReader::bindOutputs(const onnx::FunctionProto &function,
                         const onnx::NodeProto &call, const std::string &name,
                         const Place &at, const Body &body, Scope &scope) {
  std::map<std::string, std::string> given;
  std::vector<OutputCopy> copies;
  for (int i = 0; i < call.output_size(); ++i) {
    if (call.output(i).empty())
      continue;
    const std::string &source = function.output(i);
    const std::string &target = *at.scope.find(call.output(i));
    if (scope.names.contains(source) || !given.emplace(source, target).second)
      copies.push_back({source, target});
  }
  if (Status status = declareNodes(function.node(), body, scope, given);
      !status)
    return status.takeError();
  for (const std::string &output : function.output())
    if (!scope.names.contains(output))
      return breaks(OnnxRule::GraphOutput,
                    "the function '" + printable(function.name()) +
                        "' gives out '" + printable(output) +
                        "', which nothing in it defines",
                    name);
  return copies;
}

Status GraphReader::copyOutputs(const std::vector<OutputCopy> &copies,
                                const std::string &name, const Place &at,
                                Graph &graph) {
  for (const OutputCopy &copy : copies) {
    Node node;
    node.opType = "Identity";
    node.name = nodeNames.fresh(at.body.prefix + "Identity");
    Result<int64_t> opset = opsetFor("", at.body, name);
    if (!opset)
      return opset.takeError();
    node.opset = *opset;
    Result<std::string> source = resolve(copy.source, at, name);
    if (!source)
      return source.takeError();
    if (source->empty())
      return breaks(OnnxRule::GraphOutput,
                    "the function gives out its input '" +
                        printable(copy.source) + "', which the call leaves out",
                    name);
    node.inputs.push_back(std::move(*source));
    node.outputs.push_back(copy.target);
    graph.nodes.push_back(std::move(node));
  }
  return Status::success();
}

} // namespace tally::model
