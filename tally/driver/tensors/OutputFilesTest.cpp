//===- OutputFilesTest.cpp - where a run's results go ---------------------===//

#include "tally/driver/tensors/OutputFiles.h"
#include "tally/driver/tensors/NpyTensor.h"
#include "tally/support/TestFolder.h"

#include <gtest/gtest.h>

using namespace tally;
using runtime::TensorInterface;

namespace {
std::vector<TensorInterface> named(std::vector<std::string> names) {
  std::vector<TensorInterface> tensors;
  tensors.reserve(names.size());
  for (std::string &name : names)
    tensors.push_back({std::move(name), eval::Element::I16, {2}, std::nullopt});
  return tensors;
}
} // namespace

TEST(OutputFiles, NamesAreMadePortable) {
  EXPECT_EQ(outputFileNames(named({"a/b:c d", "", "..", ".hid", "A-1_2.x"})),
            (std::vector<std::string>{"a_b_c_d.npy", "_.npy", "_..npy",
                                      "_hid.npy", "A-1_2.x.npy"}));
}

TEST(OutputFiles, NamesThatWouldMeetAreKeptApart) {
  EXPECT_EQ(outputFileNames(named({"a/b", "a:b", "a_b-2", "a b"})),
            (std::vector<std::string>{"a_b.npy", "a_b-2.npy", "a_b-2-2.npy",
                                      "a_b-3.npy"}));
}

TEST(OutputFiles, TensorsComeBackFromTheirFiles) {
  TestFolder folder;
  eval::Tensor tensor;
  tensor.shape = {2};
  tensor.element = eval::Element::I16;
  tensor.allocate();
  eval::storeInt(tensor, 0, -300);
  eval::storeInt(tensor, 1, 7);
  auto paths = writeOutputs(folder.path("deep/er"), named({"out/y"}), {tensor});
  ASSERT_TRUE(paths) << paths.error().str();
  EXPECT_EQ((*paths)[0], folder.path("deep/er/out_y.npy"));
  auto array = readNpy((*paths)[0]);
  ASSERT_TRUE(array);
  eval::Tensor back = fromNpy(*array, eval::Element::I16);
  EXPECT_EQ(eval::toInts(back), (std::vector<int64_t>{-300, 7}));
}
