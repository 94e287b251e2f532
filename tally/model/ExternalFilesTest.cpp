//===- ExternalFilesTest.cpp - tensor bytes beside the model --------------===//

#include "tally/model/ExternalFiles.h"

#include "tally/model/OnnxTestModel.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::model;
using namespace tally::model::test;
namespace fs = std::filesystem;

namespace {

std::string text(const SharedBytes &shared) {
  return std::string(reinterpret_cast<const char *>(shared.bytes.data()),
                     shared.bytes.size());
}

class ExternalModes : public ::testing::TestWithParam<ExternalData> {};

TEST_P(ExternalModes, ReadsHalfOpenRanges) {
  Folder folder;
  fs::create_directory(folder / "sub");
  folder.write("sub/w.bin", "0123456789");
  ExternalFiles files(folder.path(), GetParam());
  Result<SharedBytes> middle = files.read({"./sub//w.bin", 2, 5});
  ASSERT_TRUE(middle) << middle.error().str();
  EXPECT_EQ(text(*middle), "23456");
  Result<SharedBytes> end = files.read({"sub/w.bin", 10, 0});
  ASSERT_TRUE(end) << end.error().str();
  EXPECT_EQ(text(*end), "");
}

TEST_P(ExternalModes, ReadsAcrossPages) {
  // Offset 5000 is no page start; mapping must begin at the page before.
  std::string content(20000, '\0');
  for (size_t i = 0; i < content.size(); ++i)
    content[i] = static_cast<char>(i * 7 + i / 256);
  Folder folder;
  folder.write("w.bin", content);
  ExternalFiles files(folder.path(), GetParam());
  Result<SharedBytes> bytes = files.read({"w.bin", 5000, 9000});
  ASSERT_TRUE(bytes) << bytes.error().str();
  EXPECT_EQ(text(*bytes), content.substr(5000, 9000));
}

TEST_P(ExternalModes, SharesEqualRanges) {
  Folder folder;
  folder.write("w.bin", "0123456789");
  ExternalFiles files(folder.path(), GetParam());
  Result<SharedBytes> first = files.read({"w.bin", 0, 10});
  Result<SharedBytes> second = files.read({"./w.bin", 0, 10});
  ASSERT_TRUE(first);
  ASSERT_TRUE(second) << second.error().str();
  EXPECT_EQ(first->bytes.data(), second->bytes.data());
}

TEST_P(ExternalModes, OutlivesItsReader) {
  Folder folder;
  folder.write("w.bin", "0123456789");
  SharedBytes kept;
  {
    ExternalFiles files(folder.path(), GetParam());
    Result<SharedBytes> bytes = files.read({"w.bin", 0, 10});
    ASSERT_TRUE(bytes);
    kept = *bytes;
  }
  fs::remove(folder / "w.bin");
  EXPECT_EQ(text(kept), "0123456789");
}

INSTANTIATE_TEST_SUITE_P(Both, ExternalModes,
                         ::testing::Values(ExternalData::Copy,
                                           ExternalData::Map));

TEST(ExternalFiles, ACopySurvivesWhatHappensToTheFile) {
  Folder folder;
  onnx::ModelProto proto = reluModel();
  addExternalWeight(proto, "w.bin");
  folder.write("w.bin", "12345678");
  folder.write("m.onnx", proto.SerializeAsString());
  Result<Model> model = readOnnxFile(folder / "m.onnx");
  ASSERT_TRUE(model) << model.error().str();
  fs::resize_file(folder / "w.bin", 0); // a mapping would now raise SIGBUS
  const TensorData &weight = model->graph.initializers[0];
  EXPECT_EQ(text({weight.bytes, weight.owner}), "12345678");
}

TEST(ExternalFiles, NamesTheDataFileInFailures) {
  Folder folder;
  folder.write("w.bin", "123");
  ExternalFiles files(folder.path(), ExternalData::Copy);
  Result<SharedBytes> bytes = files.read({"w.bin", 1, 3});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().file, (folder / "w.bin").string());
  EXPECT_EQ(bytes.error().rule, "ONNX-EXT-8");
}

TEST(ExternalFiles, IsOpenToWholeFilesReadOnce) {
  // 3 + 7 bytes use the file up; one byte more is an overlap.
  Folder folder;
  folder.write("w.bin", "0123456789");
  ExternalFiles files(folder.path(), ExternalData::Copy);
  ASSERT_TRUE(files.read({"w.bin", 0, 3}));
  ASSERT_TRUE(files.read({"w.bin", 3, 7}));
  Result<SharedBytes> more = files.read({"w.bin", 2, 1});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().rule, "ONNX-EXT-9");
}

} // namespace
