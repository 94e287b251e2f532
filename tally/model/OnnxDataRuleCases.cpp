//===- OnnxDataRuleCases.cpp - data that breaks a rule --------------------===//

#include "tally/model/OnnxRuleCases.h"

#include <sys/stat.h>

namespace fs = std::filesystem;

namespace tally::model::test {

/// Eight bytes of data in "w.bin", and a model that uses them.
static onnx::ModelProto externalModel(const Folder &folder,
                                      const std::string &location) {
  folder.write("w.bin", "12345678");
  onnx::ModelProto model = reluModel();
  addExternalWeight(model, location);
  return model;
}

static Result<Model> readExternal(const Folder &folder,
                                  const std::string &location) {
  return readBack(externalModel(folder, location), folder.path());
}

static const RuleCase cases[] = {
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
};

std::span<const RuleCase> dataRuleCases() { return cases; }

} // namespace tally::model::test
