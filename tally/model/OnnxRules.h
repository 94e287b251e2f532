//===- OnnxRules.h - what an ONNX file must keep to -------------*- C++ -*-===//
//
// Every reason for which reading can fail, once: the number a message ends
// with, whose turn it is to act, what the rule says, and what to try. Numbers
// are stable: a rule that goes leaves a gap. OnnxRulesTest.cpp has files that
// break each of them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MODEL_ONNXRULES_H
#define TALLY_MODEL_ONNXRULES_H

#include "tally/support/Result.h"

#include <span>
#include <string_view>

// clang-format off
/// X(Name, label, FailureKind, what the rule says, hint of its messages)
#define TALLY_ONNX_RULES(X)                                                    \
  X(FileUnreadable, "ONNX-FILE-1", System,                                     \
    "the model file can be opened and read",                                   \
    "check the path and its permissions")                                      \
  X(FileIrregular, "ONNX-FILE-2", System,                                      \
    "the model is a regular file, not a folder, pipe or device",               \
    "name the .onnx file itself")                                              \
  X(FileTooLarge, "ONNX-FILE-3", Unsupported,                                  \
    "the model file is smaller than 2 GiB, the limit of its encoding",         \
    "save the weights as external data")                                       \
  X(FileDamaged, "ONNX-FILE-4", Model,                                         \
    "the file is a whole protobuf message of ONNX's schema",                   \
    "the file is cut off or is no ONNX file; fetch or export it again")        \
  X(LimitDepth, "ONNX-LIMIT-1", Unsupported,                                   \
    "graphs, function calls and types nest less than 64 deep",                 \
    "flatten the nesting before export")                                       \
  X(LimitInlining, "ONNX-LIMIT-2", Unsupported,                                \
    "inlining functions grows a model to at most 16 times its file size "      \
    "plus 64 MiB",                                                             \
    "inline the functions in the exporter, or call them less often")           \
  X(LimitObjects, "ONNX-LIMIT-3", Unsupported,                                 \
    "the objects of a file take at most 32 times its size plus 64 MiB",        \
    "the file is mostly empty objects; export it again")                       \
  X(ModelEmpty, "ONNX-MODEL-1", Model,                                         \
    "the file has an IR version and a graph",                                  \
    "the file is no ONNX model; fetch or export it again")                     \
  X(ModelVersion, "ONNX-MODEL-2", Unsupported,                                 \
    "the IR version is 3 to 14",                                               \
    "convert the model to a version in this range")                            \
  X(OpsetRange, "ONNX-OPSET-1", Unsupported,                                   \
    "the standard operator set is version 7 to 28",                            \
    "convert the model with onnx.version_converter")                           \
  X(OpsetImport, "ONNX-OPSET-2", Model,                                        \
    "each domain is imported once, with a version of at least 1",              \
    "correct the opset_import entries")                                        \
  X(OpsetMissing, "ONNX-OPSET-3", Model,                                       \
    "the domain of every node is imported",                                    \
    "add an opset_import entry for the domain")                                \
  X(NameEncoding, "ONNX-NAME-1", Model,                                        \
    "names are valid UTF-8",                                                   \
    "rename it, or fetch the file again if it may be damaged")                 \
  X(NameEmpty, "ONNX-NAME-2", Model,                                           \
    "graph inputs, outputs, initializers, attributes, operators and "          \
    "functions have names",                                                    \
    "export the model again with names")                                       \
  X(GraphRedefined, "ONNX-GRAPH-1", Model,                                     \
    "a value is defined once",                                                 \
    "rename one of the two")                                                   \
  X(GraphShadowed, "ONNX-GRAPH-2", Model,                                      \
    "a value of a nested graph does not hide one of an enclosing graph",       \
    "rename the inner value")                                                  \
  X(GraphUndefined, "ONNX-GRAPH-3", Model,                                     \
    "what a node reads is defined in its graph or an enclosing one",           \
    "check the name for a typing error or a removed node")                     \
  X(GraphCyclic, "ONNX-GRAPH-4", Model,                                        \
    "no node needs its own result",                                            \
    "break the cycle; loops are written with Loop or Scan")                    \
  X(GraphOutput, "ONNX-GRAPH-5", Model,                                        \
    "a graph or function output is a value that it defines or can see",        \
    "remove the output or add its node")                                       \
  X(GraphOutputTwice, "ONNX-GRAPH-6", Model,                                   \
    "a graph lists an output once",                                            \
    "copy the value with an Identity node")                                    \
  X(GraphInputClash, "ONNX-GRAPH-7", Model,                                    \
    "an initializer agrees with the graph input of its name",                  \
    "correct the type or shape of the input, or remove the input")             \
  X(TypeUnknown, "ONNX-TYPE-1", Model,                                         \
    "element types are among those of IR version 14",                          \
    "fetch the file again, or convert it to a known type")                     \
  X(TypeMissing, "ONNX-TYPE-2", Model,                                         \
    "inputs of the main graph have a type",                                    \
    "state the type of the input in the exporter")                             \
  X(TypeNegative, "ONNX-TYPE-3", Model,                                        \
    "a dimension is a number >= 0, a symbol or unknown (-1, ? or none)",        \
    "correct the shape")                                                       \
  X(AttributeType, "ONNX-ATTR-1", Model,                                       \
    "an attribute states one of the known types",                              \
    "export the model again")                                                  \
  X(AttributeValue, "ONNX-ATTR-2", Model,                                      \
    "an attribute's value stands in the field of its type and nowhere else",   \
    "export the model again")                                                  \
  X(AttributeTwice, "ONNX-ATTR-3", Model,                                      \
    "a node or function has an attribute once",                                \
    "remove one of the two")                                                   \
  X(ConstantForm, "ONNX-CONST-1", Model,                                       \
    "a Constant node has exactly one value, one output and no input",          \
    "export the model again")                                                  \
  X(TensorTypeMissing, "ONNX-TENSOR-1", Model,                                 \
    "a tensor states its element type",                                        \
    "export the model again")                                                  \
  X(TensorShape, "ONNX-TENSOR-2", Model,                                       \
    "a tensor's dimensions are >= 0 and its size in bytes fits in 63 bits",    \
    "correct the dims")                                                        \
  X(TensorSize, "ONNX-TENSOR-3", Model,                                        \
    "a tensor has as much data as its dimensions need",                        \
    "the file may be damaged; fetch or export it again")                       \
  X(TensorField, "ONNX-TENSOR-4", Model,                                       \
    "a tensor's data stands in one field, the one meant for its type",         \
    "store the data as raw_data")                                              \
  X(TensorRange, "ONNX-TENSOR-5", Model,                                       \
    "stored numbers fit the tensor's element type",                            \
    "correct the element type or the values")                                  \
  X(TensorString, "ONNX-TENSOR-6", Unsupported,                                \
    "tensors hold numbers, not strings",                                       \
    "do text processing outside of the model")                                 \
  X(TensorSparse, "ONNX-TENSOR-7", Unsupported,                                \
    "tensors are dense",                                                       \
    "convert sparse tensors to dense ones")                                    \
  X(TensorSegment, "ONNX-TENSOR-8", Unsupported,                               \
    "a tensor is stored in one piece",                                         \
    "save the model again without segments")                                   \
  X(ExternalEntry, "ONNX-EXT-1", Model,                                        \
    "external data has a location, and an offset and length, if any, that "    \
    "are decimal numbers",                                                     \
    "save the external data again")                                            \
  X(ExternalNoFolder, "ONNX-EXT-2", Model,                                     \
    "a model read from memory has external data only beside a given folder",   \
    "read the model by its path")                                              \
  X(ExternalEscape, "ONNX-EXT-3", Model,                                       \
    "external data lies in the model's folder or below: no absolute path, "    \
    "no '..'",                                                                 \
    "move the data beside the model and save it again")                        \
  X(ExternalLink, "ONNX-EXT-4", Model,                                         \
    "no part of an external data path is a symbolic link",                     \
    "replace the link by the file it points to")                               \
  X(ExternalIrregular, "ONNX-EXT-5", Model,                                    \
    "external data is a regular file",                                         \
    "name a regular file as the location")                                     \
  X(ExternalHardLink, "ONNX-EXT-6", Model,                                     \
    "an external data file has no second hard link",                           \
    "replace the link by a copy of the file")                                  \
  X(ExternalUnreadable, "ONNX-EXT-7", System,                                  \
    "an external data file can be opened and read to the end",                 \
    "put the file beside the model and make it readable")                      \
  X(ExternalRange, "ONNX-EXT-8", Model,                                        \
    "external data lies within its file",                                      \
    "the data file is cut off or belongs to another model")                    \
  X(ExternalOverlap, "ONNX-EXT-9", Model,                                      \
    "the tensors of an external data file take no more bytes than it has",     \
    "save the external data again without overlaps")                           \
  X(FunctionTwice, "ONNX-FUNC-1", Model,                                       \
    "a function (domain, name, overload) is defined once",                     \
    "rename one of the two")                                                   \
  X(FunctionRecursive, "ONNX-FUNC-2", Model,                                   \
    "a function does not call itself, not even through others",                \
    "write the repetition with Loop or Scan")                                  \
  X(FunctionCall, "ONNX-FUNC-3", Model,                                        \
    "a call has no more inputs, outputs and attributes than the function",     \
    "correct the call or the function's signature")                            \
  X(FunctionReference, "ONNX-FUNC-4", Model,                                   \
    "an attribute reference names a parameter of the function around it",      \
    "give the attribute a value")                                              \
  X(FunctionReferenceType, "ONNX-FUNC-5", Model,                               \
    "an attribute reference has the type of what it refers to",                \
    "correct the type of the attribute in the call or in the body")
// clang-format on

namespace tally::model {

enum class OnnxRule {
#define TALLY_ONNX_RULE(name, ...) name,
  TALLY_ONNX_RULES(TALLY_ONNX_RULE)
#undef TALLY_ONNX_RULE
};

struct OnnxRuleText {
  std::string_view label;
  FailureKind kind;
  std::string_view says;
  std::string_view hint;
};

/// All rules, in the order of their enumeration.
std::span<const OnnxRuleText> onnxRules();

/// The failure of a file that breaks `rule`: found by `node` (a node, tensor
/// or value name as it stands in the file, made printable here), described by
/// `message`. The reader adds the file.
Diagnostic breaks(OnnxRule rule, std::string message,
                  std::string_view node = {});

} // namespace tally::model

#endif // TALLY_MODEL_ONNXRULES_H
