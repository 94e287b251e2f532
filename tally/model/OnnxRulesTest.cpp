//===- OnnxRulesTest.cpp - one file that breaks each rule -----------------===//
//
// Each case makes a file that breaks one rule in one way; the last test checks
// that no rule is without a case.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxRules.h"

#include "tally/model/OnnxTestModel.h"

#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;
namespace fs = std::filesystem;

namespace {

struct RuleCase {
  OnnxRule rule;
  const char *what;
  /// Reads a broken file; the folder is its own.
  Result<Model> (*read)(const Folder &folder);
  const char *node = ""; ///< what the diagnostic must be about
};

/// A case that changes the valid model and reads it.
template <auto change> Result<Model> changed(const Folder &folder) {
  onnx::ModelProto model = reluModel();
  change(model);
  return readBack(model, folder.path());
}

#define CHANGED(...) changed<[](onnx::ModelProto &model) { __VA_ARGS__ }>

onnx::GraphProto &mainGraph(onnx::ModelProto &model) {
  return *model.mutable_graph();
}

onnx::NodeProto *relu(onnx::ModelProto &model) {
  return model.mutable_graph()->mutable_node(0);
}

onnx::GraphProto *addBranch(onnx::ModelProto &model) {
  auto *node = addNode(mainGraph(model), "If", {"x"}, {"z"});
  return addAttribute(node, "then_branch", 5)->mutable_g();
}

/// Eight bytes of data in "w.bin", and a model that uses them.
onnx::ModelProto externalModel(const Folder &folder,
                               const std::string &location) {
  folder.write("w.bin", "12345678");
  onnx::ModelProto model = reluModel();
  addExternalWeight(model, location);
  return model;
}

Result<Model> readExternal(const Folder &folder, const std::string &location) {
  return readBack(externalModel(folder, location), folder.path());
}

const RuleCase cases[] = {
    {OnnxRule::FileUnreadable, "no such file",
     [](const Folder &folder) { return readOnnxFile(folder / "no.onnx"); }},
    {OnnxRule::FileIrregular, "a folder",
     [](const Folder &folder) { return readOnnxFile(folder.path()); }},
    {OnnxRule::FileIrregular, "a pipe without a writer",
     [](const Folder &folder) {
       EXPECT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
       return readOnnxFile(folder / "pipe");
     }},
    {OnnxRule::FileTooLarge, "3 GiB of holes",
     [](const Folder &folder) {
       fs::path path = folder.write("big.onnx", "");
       fs::resize_file(path, uint64_t{3} << 30);
       return readOnnxFile(path);
     }},
    {OnnxRule::FileDamaged, "text",
     [](const Folder &folder) {
       return readOnnxFile(folder.write("a.onnx", "this is not a model"));
     }},
    {OnnxRule::FileDamaged, "cut off",
     [](const Folder &folder) {
       std::string bytes = reluModel().SerializeAsString();
       bytes.resize(bytes.size() - 3);
       return readOnnxFile(folder.write("a.onnx", bytes));
     }},
    {OnnxRule::FileDamaged, "a number cut off in a packed list",
     [](const Folder &) {
       // graph { initializer { int32_data: a varint without an end } }
       static const char bytes[] = {0x3A, 5, 0x2A, 3, 0x2A, 1, '\x80'};
       return readOnnxBytes(std::as_bytes(std::span(bytes)));
     }},
    {OnnxRule::LimitDepth, "100 nested graphs",
     CHANGED(onnx::GraphProto *graph = &mainGraph(model);
             for (int i = 0; i < 100; ++i) graph =
                 addAttribute(addNode(*graph, "If", {"x"}, {}), "then_branch",
                              5)
                     ->mutable_g();)},
    {OnnxRule::LimitDepth, "100 functions, each calling the next",
     CHANGED(for (int i = 0; i < 100; ++i) {
       auto *function = addFunction(model, "F" + std::to_string(i));
       addNode(*function, "F" + std::to_string(i + 1), {"a"}, {"b"}, "my");
     } addCall(model, "F0");)},
    {OnnxRule::LimitInlining, "30 functions, each calling the next twice",
     CHANGED(for (int i = 0; i < 30; ++i) {
       auto *function = addFunction(model, "F" + std::to_string(i));
       std::string next = "F" + std::to_string(i + 1);
       addNode(*function, next, {"a"}, {"t"}, "my");
       addNode(*function, next, {"t"}, {"b"}, "my");
     } addCall(model, "F0");)},
    {OnnxRule::LimitInlining, "a long name used often in a body",
     CHANGED(std::string longName(1 << 20, 'n');
             auto *function = addFunction(model, "F");
             for (int i = 0; i < 1000; ++i)
                 addNode(*function, "Relu", {"a"}, {""});
             addNode(*function, "Relu", {"a"}, {"b"});
             addCall(model, "F")->set_name(longName);)},
    {OnnxRule::LimitObjects, "a million empty nodes",
     CHANGED(for (int i = 0; i < 1000000; ++i) mainGraph(model).add_node();)},
    {OnnxRule::ModelEmpty, "no bytes at all",
     [](const Folder &) { return readOnnxBytes({}); }},
    {OnnxRule::ModelEmpty, "no graph", CHANGED(model.clear_graph();)},
    {OnnxRule::ModelEmpty, "no IR version", CHANGED(model.clear_ir_version();)},
    {OnnxRule::ModelVersion, "IR 2", CHANGED(model.set_ir_version(2);)},
    {OnnxRule::ModelVersion, "IR 15", CHANGED(model.set_ir_version(15);)},
    {OnnxRule::OpsetRange, "opset 6",
     CHANGED(model.mutable_opset_import(0)->set_version(6);)},
    {OnnxRule::OpsetRange, "opset 29",
     CHANGED(model.mutable_opset_import(0)->set_version(29);)},
    {OnnxRule::OpsetRange, "in a called function",
     CHANGED(auto *function = addFunction(model, "F");
             function->add_opset_import()->set_version(6);
             addNode(*function, "Relu", {"a"}, {"b"}); addCall(model, "F");),
     "F"},
    {OnnxRule::OpsetImport, "twice, under both names",
     CHANGED(addOpset(model, "ai.onnx", 18);)},
    {OnnxRule::OpsetImport, "version 0", CHANGED(addOpset(model, "d", 0);)},
    {OnnxRule::OpsetMissing, "unknown domain",
     CHANGED(relu(model)->set_domain("far");), "Relu_0"},
    {OnnxRule::NameEncoding, "node name",
     CHANGED(relu(model)->set_name("a\xFF");)},
    {OnnxRule::NameEncoding, "operator",
     CHANGED(relu(model)->set_op_type("a\xC0\x80");)},
    {OnnxRule::NameEncoding, "domain",
     CHANGED(relu(model)->set_domain("\xED\xA0\x80");)},
    {OnnxRule::NameEncoding, "value",
     CHANGED(relu(model)->set_output(0, "\x80");), "\\x80"},
    {OnnxRule::NameEncoding, "attribute",
     CHANGED(addAttribute(relu(model), "\xF5", 2);), "Relu_0"},
    {OnnxRule::NameEncoding, "tensor in an attribute",
     CHANGED(addAttribute(relu(model), "a", 4)->mutable_t()->set_name("\xF5");),
     "Relu_0"},
    {OnnxRule::NameEncoding, "imported domain",
     CHANGED(addOpset(model, "\xF5", 1);)},
    {OnnxRule::NameEncoding, "function",
     CHANGED(addFunction(model, "\xF5");)},
    {OnnxRule::NameEncoding, "dimension",
     CHANGED(mainGraph(model)
                 .mutable_input(0)
                 ->mutable_type()
                 ->mutable_tensor_type()
                 ->mutable_shape()
                 ->mutable_dim(0)
                 ->set_dim_param("\xF5");),
     "x"},
    {OnnxRule::NameEmpty, "operator", CHANGED(relu(model)->set_op_type("");)},
    {OnnxRule::NameEmpty, "input",
     CHANGED(setValue(mainGraph(model).add_input(), "", {2});)},
    {OnnxRule::NameEmpty, "initializer", CHANGED(addWeight(model)->set_name("");)},
    {OnnxRule::NameEmpty, "attribute",
     CHANGED(addAttribute(relu(model), "", 2);), "Relu_0"},
    {OnnxRule::NameEmpty, "function", CHANGED(addFunction(model, "");)},
    {OnnxRule::GraphRedefined, "two nodes",
     CHANGED(addNode(mainGraph(model), "Abs", {"x"}, {"y"});), "y"},
    {OnnxRule::GraphRedefined, "one node twice",
     CHANGED(addNode(mainGraph(model), "Abs", {"x"}, {"z", "z"});), "z"},
    {OnnxRule::GraphRedefined, "node and input",
     CHANGED(addNode(mainGraph(model), "Abs", {"y"}, {"x"});), "x"},
    {OnnxRule::GraphRedefined, "two initializers",
     CHANGED(addWeight(model); addWeight(model);), "w"},
    {OnnxRule::GraphRedefined, "two inputs",
     CHANGED(setValue(mainGraph(model).add_input(), "x", {2});), "x"},
    {OnnxRule::GraphRedefined, "function input and node",
     CHANGED(addNode(*addFunction(model, "F"), "Abs", {"a"}, {"a"});
             addCall(model, "F");),
     "a"},
    {OnnxRule::GraphShadowed, "in a branch",
     CHANGED(addNode(*addBranch(model), "Abs", {"x"}, {"y"});), "y"},
    {OnnxRule::GraphUndefined, "node", CHANGED(relu(model)->set_input(0, "q");),
     "Relu_0"},
    {OnnxRule::GraphUndefined, "function body cannot see the caller",
     CHANGED(addNode(*addFunction(model, "F"), "Abs", {"x"}, {"b"});
             addCall(model, "F")->set_name("call");),
     "call/Abs_0"},
    {OnnxRule::GraphUndefined, "value of a branch, read outside",
     CHANGED(addNode(*addBranch(model), "Abs", {"x"}, {"t"});
             addNode(mainGraph(model), "Neg", {"t"}, {"u"});),
     "Neg_2"},
    {OnnxRule::GraphCyclic, "two nodes",
     CHANGED(addNode(mainGraph(model), "Abs", {"q"}, {"p"});
             addNode(mainGraph(model), "Abs", {"p"}, {"q"});)},
    {OnnxRule::GraphCyclic, "through a branch",
     CHANGED(auto *branch = addBranch(model);
             addNode(*branch, "Abs", {"z"}, {"t"});)},
    {OnnxRule::GraphOutput, "graph",
     CHANGED(setValue(mainGraph(model).add_output(), "q", {2});), "q"},
    {OnnxRule::GraphOutput, "function",
     CHANGED(addFunction(model, "F"); addCall(model, "F")->set_name("call");),
     "call"},
    {OnnxRule::GraphOutput, "function gives out an input that is left out",
     CHANGED(auto *function = addFunction(model, "F");
             function->set_output(0, "a");
             auto *call = addCall(model, "F"); call->clear_input();
             call->set_name("call");),
     "call"},
    {OnnxRule::GraphOutputTwice, "y",
     CHANGED(setValue(mainGraph(model).add_output(), "y", {2});), "y"},
    {OnnxRule::GraphInputClash, "type",
     CHANGED(addWeight(model)->set_raw_data("12345678");
             setValue(mainGraph(model).add_input(), "w", {2});
             mainGraph(model)
                 .mutable_input(1)
                 ->mutable_type()
                 ->mutable_tensor_type()
                 ->set_elem_type(7);),
     "w"},
    {OnnxRule::GraphInputClash, "shape",
     CHANGED(addWeight(model)->set_raw_data("12345678");
             setValue(mainGraph(model).add_input(), "w", {1, 2});),
     "w"},
    {OnnxRule::TypeUnknown, "value",
     CHANGED(mainGraph(model)
                 .mutable_input(0)
                 ->mutable_type()
                 ->mutable_tensor_type()
                 ->set_elem_type(29);),
     "x"},
    {OnnxRule::TypeUnknown, "tensor",
     CHANGED(addWeight(model)->set_data_type(-1);), "w"},
    {OnnxRule::TypeMissing, "input",
     CHANGED(mainGraph(model).mutable_input(0)->clear_type();), "x"},
    {OnnxRule::TypeNegative, "-2",
     CHANGED(setValue(mainGraph(model).add_input(), "v", {-2});), "v"},
    {OnnxRule::AttributeType, "none",
     CHANGED(addAttribute(relu(model), "a", 0);), "Relu_0"},
    {OnnxRule::AttributeType, "15",
     CHANGED(addAttribute(relu(model), "a", 15);), "Relu_0"},
    {OnnxRule::AttributeValue, "int with a float",
     CHANGED(addAttribute(relu(model), "a", 2)->set_f(1.5f);), "Relu_0"},
    {OnnxRule::AttributeValue, "no tensor",
     CHANGED(addAttribute(relu(model), "a", 4);), "Relu_0"},
    {OnnxRule::AttributeValue, "no graph",
     CHANGED(addAttribute(relu(model), "a", 5);), "Relu_0"},
    {OnnxRule::AttributeTwice, "node",
     CHANGED(addAttribute(relu(model), "a", 2);
             addAttribute(relu(model), "a", 1);),
     "Relu_0"},
    {OnnxRule::AttributeTwice, "function",
     CHANGED(auto *function = addFunction(model, "F");
             addNode(*function, "Abs", {"a"}, {"b"});
             for (int i = 0; i < 2; ++i) {
               auto *attribute = function->add_attribute_proto();
               attribute->set_name("k");
               attribute->set_type(2);
             } addCall(model, "F");)},
    {OnnxRule::ConstantForm, "no value",
     CHANGED(addNode(mainGraph(model), "Constant", {}, {"c"});), "Constant_1"},
    {OnnxRule::ConstantForm, "two values",
     CHANGED(auto *node = addNode(mainGraph(model), "Constant", {}, {"c"});
             addAttribute(node, "value_int", 2);
             addAttribute(node, "value_float", 1);),
     "Constant_1"},
    {OnnxRule::ConstantForm, "value of the wrong kind",
     CHANGED(auto *node = addNode(mainGraph(model), "Constant", {}, {"c"});
             addAttribute(node, "value_ints", 2);),
     "Constant_1"},
    {OnnxRule::ConstantForm, "output left out",
     CHANGED(auto *node = addNode(mainGraph(model), "Constant", {}, {""});
             addAttribute(node, "value_int", 2);),
     "Constant_1"},
    {OnnxRule::TensorTypeMissing, "w",
     CHANGED(addWeight(model)->clear_data_type();), "w"},
    {OnnxRule::TensorShape, "negative",
     CHANGED(addWeight(model)->set_dims(0, -2);), "w"},
    {OnnxRule::TensorShape, "2^62 floats",
     CHANGED(addWeight(model)->set_dims(0, int64_t{1} << 62);), "w"},
    {OnnxRule::TensorShape, "2^96 floats",
     CHANGED(auto *weight = addWeight(model);
             weight->set_dims(0, int64_t{1} << 48);
             weight->add_dims(int64_t{1} << 48);),
     "w"},
    {OnnxRule::TensorSize, "no data", CHANGED(addWeight(model);), "w"},
    {OnnxRule::TensorSize, "huge shape, little data",
     CHANGED(auto *weight = addWeight(model);
             weight->set_dims(0, int64_t{1} << 50);
             weight->set_raw_data("12345678");),
     "w"},
    {OnnxRule::TensorSize, "too much raw data",
     CHANGED(addWeight(model)->set_raw_data("123456789");), "w"},
    {OnnxRule::TensorSize, "too few floats",
     CHANGED(addWeight(model)->add_float_data(1);), "w"},
    {OnnxRule::TensorSize, "external length differs",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       addExternalEntry(model.mutable_graph()->mutable_initializer(0),
                        "length", "7");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::TensorField, "floats as ints",
     CHANGED(auto *weight = addWeight(model); weight->add_int32_data(1);
             weight->add_int32_data(2);),
     "w"},
    {OnnxRule::TensorField, "raw and typed",
     CHANGED(auto *weight = addWeight(model); weight->set_raw_data("12345678");
             weight->add_float_data(2);),
     "w"},
    {OnnxRule::TensorField, "external and raw",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       model.mutable_graph()->mutable_initializer(0)->set_raw_data("12345678");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::TensorRange, "256 in uint8",
     CHANGED(auto *weight = addWeight(model); weight->set_data_type(2);
             weight->add_int32_data(255); weight->add_int32_data(256);),
     "w"},
    {OnnxRule::TensorRange, "2^32 in uint32",
     CHANGED(auto *weight = addWeight(model); weight->set_data_type(12);
             weight->add_uint64_data(1);
             weight->add_uint64_data(uint64_t{1} << 32);),
     "w"},
    {OnnxRule::TensorRange, "bool 2",
     CHANGED(auto *weight = addWeight(model); weight->set_data_type(9);
             weight->set_raw_data("\1\2");),
     "w"},
    {OnnxRule::TensorString, "initializer",
     CHANGED(addWeight(model)->set_data_type(8);), "w"},
    {OnnxRule::TensorString, "constant",
     CHANGED(auto *node = addNode(mainGraph(model), "Constant", {}, {"c"});
             addAttribute(node, "value_string", 3)->set_s("text");),
     "Constant_1"},
    {OnnxRule::TensorSparse, "initializer",
     CHANGED(mainGraph(model)
                 .add_sparse_initializer()
                 ->mutable_values()
                 ->set_name("s");),
     "s"},
    {OnnxRule::TensorSparse, "constant",
     CHANGED(auto *node = addNode(mainGraph(model), "Constant", {}, {"c"});
             addAttribute(node, "sparse_value", 11)->mutable_sparse_tensor();),
     "Constant_1"},
    {OnnxRule::TensorSegment, "w",
     CHANGED(addWeight(model)->mutable_segment()->set_begin(0);), "w"},
    {OnnxRule::ExternalEntry, "no location",
     CHANGED(addWeight(model)->set_data_location(1);), "w"},
    {OnnxRule::ExternalEntry, "offset no number",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       addExternalEntry(model.mutable_graph()->mutable_initializer(0),
                        "offset", "0x10");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::ExternalEntry, "offset beyond 63 bits",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       addExternalEntry(model.mutable_graph()->mutable_initializer(0),
                        "offset", "99999999999999999999");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::ExternalEntry, "negative length",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       addExternalEntry(model.mutable_graph()->mutable_initializer(0),
                        "length", "-8");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::ExternalNoFolder, "from memory",
     [](const Folder &folder) {
       return readBack(externalModel(folder, "w.bin"));
     },
     "w"},
    {OnnxRule::ExternalEscape, "absolute",
     [](const Folder &folder) {
       return readExternal(folder, (folder / "w.bin").string());
     },
     "w"},
    {OnnxRule::ExternalEscape, "parent",
     [](const Folder &folder) {
       return readExternal(folder, "a/../../w.bin");
     },
     "w"},
    {OnnxRule::ExternalEscape, "zero byte",
     [](const Folder &folder) {
       return readExternal(folder, std::string("w.bin\0x", 7));
     },
     "w"},
    {OnnxRule::ExternalEscape, "empty",
     [](const Folder &folder) { return readExternal(folder, ""); }, "w"},
    {OnnxRule::ExternalLink, "file",
     [](const Folder &folder) {
       fs::create_symlink("w.bin", folder / "link.bin");
       return readExternal(folder, "link.bin");
     },
     "w"},
    {OnnxRule::ExternalLink, "dangling",
     [](const Folder &folder) {
       fs::create_symlink("nowhere", folder / "link.bin");
       return readExternal(folder, "link.bin");
     },
     "w"},
    {OnnxRule::ExternalLink, "folder",
     [](const Folder &folder) {
       fs::create_symlink(".", folder / "link");
       return readExternal(folder, "link/w.bin");
     },
     "w"},
    {OnnxRule::ExternalIrregular, "pipe",
     [](const Folder &folder) {
       EXPECT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
       return readExternal(folder, "pipe");
     },
     "w"},
    {OnnxRule::ExternalIrregular, "folder",
     [](const Folder &folder) {
       fs::create_directory(folder / "d");
       return readExternal(folder, "d");
     },
     "w"},
    {OnnxRule::ExternalHardLink, "second name",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       fs::create_hard_link(folder / "w.bin", folder / "second");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::ExternalUnreadable, "missing",
     [](const Folder &folder) { return readExternal(folder, "no.bin"); }, "w"},
    {OnnxRule::ExternalUnreadable, "missing folder",
     [](const Folder &folder) { return readExternal(folder, "no/w.bin"); },
     "w"},
    {OnnxRule::ExternalUnreadable, "file as a folder",
     [](const Folder &folder) { return readExternal(folder, "w.bin/w.bin"); },
     "w"},
    {OnnxRule::ExternalRange, "offset",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       addExternalEntry(model.mutable_graph()->mutable_initializer(0),
                        "offset", "1");
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::ExternalRange, "a tensor of 2^40 bytes",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       model.mutable_graph()->mutable_initializer(0)->set_dims(
           0, int64_t{1} << 38);
       return readBack(model, folder.path());
     },
     "w"},
    {OnnxRule::ExternalOverlap, "bytes 0 to 8 and 1 to 5",
     [](const Folder &folder) {
       onnx::ModelProto model = externalModel(folder, "w.bin");
       auto *second = addExternalWeight(model, "./w.bin");
       second->set_name("v");
       second->set_dims(0, 1);
       addExternalEntry(second, "offset", "1");
       return readBack(model, folder.path());
     },
     "v"},
    {OnnxRule::FunctionTwice, "F",
     CHANGED(addFunction(model, "F"); addFunction(model, "F");), "F"},
    {OnnxRule::FunctionRecursive, "itself",
     CHANGED(addNode(*addFunction(model, "F"), "F", {"a"}, {"b"}, "my");
             addCall(model, "F");)},
    {OnnxRule::FunctionRecursive, "through another",
     CHANGED(addNode(*addFunction(model, "F"), "G", {"a"}, {"b"}, "my");
             addNode(*addFunction(model, "G"), "F", {"a"}, {"b"}, "my");
             addCall(model, "F");)},
    {OnnxRule::FunctionCall, "inputs",
     CHANGED(addNode(*addFunction(model, "F"), "Abs", {"a"}, {"b"});
             addCall(model, "F")->add_input("x");),
     "F_1"},
    {OnnxRule::FunctionCall, "outputs",
     CHANGED(addNode(*addFunction(model, "F"), "Abs", {"a"}, {"b"});
             addCall(model, "F")->add_output("z2");),
     "F_1"},
    {OnnxRule::FunctionCall, "attribute",
     CHANGED(addNode(*addFunction(model, "F"), "Abs", {"a"}, {"b"});
             addAttribute(addCall(model, "F"), "k", 2);),
     "F_1"},
    {OnnxRule::FunctionReference, "in the main graph",
     CHANGED(addAttribute(relu(model), "k", 2)->set_ref_attr_name("q");),
     "Relu_0"},
    {OnnxRule::FunctionReference, "to no parameter",
     CHANGED(auto *node =
                 addNode(*addFunction(model, "F"), "Abs", {"a"}, {"b"});
             addAttribute(node, "k", 2)->set_ref_attr_name("q");
             addCall(model, "F");),
     "F_1/Abs_0"},
    {OnnxRule::FunctionReferenceType, "float for int",
     CHANGED(auto *function = addFunction(model, "F");
             function->add_attribute("q");
             auto *node = addNode(*function, "Abs", {"a"}, {"b"});
             addAttribute(node, "k", 2)->set_ref_attr_name("q");
             addAttribute(addCall(model, "F"), "q", 1)->set_f(2);),
     "F_1/Abs_0"},
};

class OnnxRules : public ::testing::TestWithParam<RuleCase> {};

TEST_P(OnnxRules, RefusesTheFile) {
  const RuleCase &test = GetParam();
  const OnnxRuleText &text = onnxRules()[static_cast<size_t>(test.rule)];
  SCOPED_TRACE(std::string(text.label) + ": " + test.what);
  Folder folder;
  Result<Model> model = test.read(folder);
  ASSERT_FALSE(model);
  const Diagnostic &failure = model.error();
  EXPECT_EQ(failure.rule, text.label) << failure.str();
  EXPECT_EQ(failure.kind, text.kind);
  EXPECT_FALSE(failure.file.empty());
  EXPECT_FALSE(failure.message.empty());
  EXPECT_FALSE(failure.hint.empty());
  EXPECT_EQ(failure.message.find('\n'), std::string::npos);
  EXPECT_LT(failure.str().size(), 1200u);
  EXPECT_TRUE(isUtf8(failure.str()));
  if (*test.node)
    EXPECT_EQ(failure.node, test.node) << failure.str();
}

void PrintTo(const RuleCase &test, std::ostream *out) {
  *out << onnxRules()[static_cast<size_t>(test.rule)].label << ": "
       << test.what;
}

INSTANTIATE_TEST_SUITE_P(All, OnnxRules, ::testing::ValuesIn(cases));

TEST(OnnxRuleTable, EveryRuleHasACase) {
  std::set<OnnxRule> tested;
  for (const RuleCase &test : cases)
    tested.insert(test.rule);
  for (size_t i = 0; i < onnxRules().size(); ++i)
    EXPECT_TRUE(tested.contains(static_cast<OnnxRule>(i)))
        << onnxRules()[i].label << " has no test";
}

TEST(OnnxRuleTable, LabelsAreDistinct) {
  std::set<std::string_view> labels;
  for (const OnnxRuleText &rule : onnxRules())
    EXPECT_TRUE(labels.insert(rule.label).second) << rule.label;
}

TEST(OnnxRuleTable, TheModelBeforeItsChangesIsValid) {
  Result<Model> model = readBack(reluModel());
  ASSERT_TRUE(model) << model.error().str();
}

} // namespace
