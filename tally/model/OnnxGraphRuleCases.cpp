//===- OnnxGraphRuleCases.cpp - files that break a rule, but for data -----===//

#include "tally/model/OnnxRuleCases.h"

#include <sys/stat.h>

namespace fs = std::filesystem;

namespace tally::model::test {

static onnx::GraphProto *addBranch(onnx::ModelProto &model) {
  auto *node = addNode(mainGraph(model), "If", {"x"}, {"z"});
  return addAttribute(node, "then_branch", 5)->mutable_g();
}

/// A function whose parameter "p" is a graph, and an If that has `p` as both
/// of its branches.
static onnx::FunctionProto *addGraphFunction(onnx::ModelProto &model, int i) {
  auto *function = addFunction(model, "F" + std::to_string(i));
  function->add_attribute("p");
  return function;
}
static void referTwice(onnx::NodeProto *node) {
  for (const char *branch : {"then_branch", "else_branch"})
    addAttribute(node, branch, 5)->set_ref_attr_name("p");
}

static const RuleCase cases[] = {
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
     CHANGED(
         onnx::GraphProto *graph = &mainGraph(model);
         for (int i = 0; i < 100; ++i) graph =
             addAttribute(addNode(*graph, "If", {"x"}, {}), "then_branch", 5)
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
    {OnnxRule::LimitInlining, "30 functions, each handing on its graph twice",
     CHANGED(for (int i = 0; i < 30; ++i) {
       auto *call = addNode(*addGraphFunction(model, i),
                            "F" + std::to_string(i + 1), {"a"}, {"b"}, "my");
       auto *graph = addAttribute(call, "p", 5)->mutable_g();
       referTwice(addNode(*graph, "If", {"a"}, {}));
     } referTwice(addNode(*addGraphFunction(model, 30), "If", {"a"}, {"b"}));
             addAttribute(addCall(model, "F0"), "p", 5)->mutable_g();)},
    {OnnxRule::LimitInlining, "20000 calls of a function of 5000 inputs",
     CHANGED(auto *function = addFunction(model, "F");
             for (int i = 0; i < 5000; ++i)
                 function->add_input("a" + std::to_string(i));
             addNode(*function, "Abs", {"a"}, {"b"});
             for (int i = 0; i < 20000; ++i)
                 addNode(mainGraph(model), "F", {"x"}, {})
                     ->set_domain("my");)},
    {OnnxRule::LimitInlining, "20000 calls of a function with a long default",
     CHANGED(auto *function = addFunction(model, "F");
             auto *parameter = function->add_attribute_proto();
             parameter->set_name("k"); parameter->set_type(7);
             for (int i = 0; i < 20000; ++i) parameter->add_ints(1);
             addNode(*function, "Abs", {"a"}, {"b"});
             for (int i = 0; i < 20000; ++i)
                 addNode(mainGraph(model), "F", {"x"}, {})
                     ->set_domain("my");)},
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
    {OnnxRule::NameEncoding, "function", CHANGED(addFunction(model, "\xF5");)},
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
    {OnnxRule::NameEmpty, "initializer",
     CHANGED(addWeight(model)->set_name("");)},
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
             function->set_output(0, "a"); auto *call = addCall(model, "F");
             call->clear_input(); call->set_name("call");),
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

std::span<const RuleCase> graphRuleCases() { return cases; }

} // namespace tally::model::test
