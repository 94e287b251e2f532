//===- SegmentFileTest.cpp - a model in segments --------------------------===//

#include "tally/runtime/SegmentFile.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/TestFolder.h"

#include "llvm/Object/ArchiveWriter.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tally;
using namespace tally::runtime;

namespace {
/// x -> edge -> m -> cpu -> y; y and m are the outputs.
SegmentFile example() {
  SegmentFile file;
  file.producer = "tally";
  file.model = "net.onnx";
  eval::Quantization grid{-8, 7, {0.5f, 0.25f}, {0, 1}, 0};
  file.tensors = {{"x", eval::Element::F32, {2, 3}, std::nullopt},
                  {"m", eval::Element::I8, {2, 3}, grid},
                  {"y#2", eval::Element::Bool, {}, std::nullopt}};
  file.inputs = {{"x", 0}};
  file.outputs = {{"y", 2}, {"m", 1}};
  file.segments = {{"edge", "segment-0.elf", {"q"}, {0}, {1}, {}, {1, 2, 3}},
                   {"cpu",
                    "segment-1.o",
                    {"any", "all"},
                    {1, 0},
                    {2},
                    {{"any", "NPU-10", "'edge' cannot run it"}},
                    {7, 8, 9}}};
  return file;
}

std::vector<uint8_t> bytesOf(const SegmentFile &file) {
  auto bytes = writeSegments(file);
  EXPECT_TRUE(bytes) << bytes.error().str();
  return bytes ? *bytes : std::vector<uint8_t>();
}

std::string ruleOf(const std::vector<uint8_t> &bytes) {
  auto file = parseSegments(bytes, "net.a");
  if (file)
    return "accepted";
  EXPECT_EQ(file.error().file, "net.a");
  return file.error().rule;
}

/// The rule that reading an example breaks after `change`.
template <typename Change> std::string afterChange(Change change) {
  SegmentFile file = example();
  change(file);
  return ruleOf(bytesOf(file));
}

std::vector<uint8_t>
archive(std::vector<std::pair<std::string, std::string>> members) {
  std::vector<llvm::NewArchiveMember> list;
  for (const auto &[name, text] : members)
    list.emplace_back(llvm::MemoryBufferRef(text, name));
  auto buffer = llvm::cantFail(
      llvm::writeArchiveToBuffer(list, llvm::SymtabWritingMode::NoSymtab,
                                 llvm::object::Archive::K_GNU, true, false));
  llvm::StringRef bytes = buffer->getBuffer();
  return {bytes.bytes_begin(), bytes.bytes_end()};
}
} // namespace

TEST(SegmentFile, ComesBackAsItWasWritten) {
  std::vector<uint8_t> bytes = bytesOf(example());
  EXPECT_TRUE(beginsLikeSegments(bytes));
  auto file = parseSegments(bytes, "net.a");
  ASSERT_TRUE(file) << file.error().str();
  EXPECT_EQ(*file, example());
  EXPECT_EQ(bytesOf(*file), bytes);
}

TEST(SegmentFile, PortsHaveTheModelsNames) {
  auto outputs = example().interfaceOf(example().outputs);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].name, "y"); // of the tensor that is called y#2
  EXPECT_EQ(outputs[0].element, eval::Element::Bool);
  EXPECT_EQ(outputs[1].quant->axis, 0);
}

TEST(SegmentFile, IsToldFromALibraryByItsFirstMember) {
  TestFolder folder;
  std::string path = folder.path("net.a");
  ASSERT_TRUE(writeFileAtomically(path, bytesOf(example())));
  EXPECT_TRUE(looksLikeSegments(path));
  ASSERT_TRUE(writeFileAtomically(path, archive({{"net.o", ""}})));
  EXPECT_FALSE(looksLikeSegments(path));
  EXPECT_FALSE(looksLikeSegments(folder.path("missing.a")));
}

TEST(SegmentFile, OtherFilesAreRefused) {
  EXPECT_EQ(ruleOf({}), "SEG-1");
  EXPECT_EQ(ruleOf(archive({{"net.o", ""}})), "SEG-1");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", "{}"}, {"a", ""}, {"a", ""}})),
            "SEG-1");
  std::vector<uint8_t> bytes = bytesOf(example());
  bytes.resize(bytes.size() - 2); // ends in a member
  EXPECT_EQ(ruleOf(bytes), "SEG-1");
}

TEST(SegmentFile, ManifestsOfAnotherFormAreRefused) {
  EXPECT_EQ(ruleOf(archive({{"manifest.json", "{"}})), "SEG-2");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", "{}"}})), "SEG-2");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", "{\"version\": 2}"}})), "SEG-2");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", std::string(99, '[')}})),
            "SEG-2");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", "{\"version\": 1}"}})), "SEG-3");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", "{\"version\": 3}"}})), "SEG-3");
}

TEST(SegmentFile, TensorsAreMadeOnceAndBeforeTheyAreRead) {
  EXPECT_EQ(afterChange([](SegmentFile &) {}), "accepted");
  EXPECT_EQ(afterChange([](SegmentFile &f) {
              std::swap(f.segments[0], f.segments[1]);
            }),
            "SEG-4");
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.segments[1].outputs = {1}; }),
            "SEG-4");
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.segments[0].inputs = {3}; }),
            "SEG-4");
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.outputs[0].tensor = -1; }),
            "SEG-4");
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.inputs.push_back({"z", 0}); }),
            "SEG-4");
}

TEST(SegmentFile, EachSegmentHasAMemberOfItsOwn) {
  std::string manifest(
      R"({"version":2,"producer":"","model":"","tensors":[],"inputs":[],)"
      R"("outputs":[],"segments":[{"target":"edge","member":"a.o","nodes":[],)"
      R"("inputs":[],"outputs":[],"reasons":[]}]})");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", manifest}, {"a.o", "x"}})),
            "accepted");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", manifest}, {"b.o", "x"}})),
            "SEG-4");
}

TEST(SegmentFile, NativeCodeIsWhatWasWritten) {
  // Any bit of segment-1.o's three bytes; those of segment-0.elf are the
  // program reader's to judge.
  std::vector<uint8_t> bytes = bytesOf(example());
  const std::vector<uint8_t> native = {7, 8, 9};
  auto at =
      std::search(bytes.begin(), bytes.end(), native.begin(), native.end());
  ASSERT_NE(at, bytes.end());
  for (size_t byte = 0; byte < native.size(); ++byte)
    for (int bit = 0; bit < 8; ++bit) {
      at[byte] ^= 1 << bit;
      EXPECT_EQ(ruleOf(bytes), "SEG-7") << "byte " << byte << ", bit " << bit;
      at[byte] ^= 1 << bit;
    }
  EXPECT_EQ(ruleOf(bytes), "accepted");
}

TEST(SegmentFile, NoChangedByteHandsOutOtherNativeCode) {
  // Whatever is changed, the file is refused, or native code is as it was.
  std::vector<uint8_t> bytes = bytesOf(example());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t flip : {0x01, 0x02, 0x10, 0x20, 0x80}) {
      bytes[i] ^= flip;
      auto file = parseSegments(bytes, "net.a");
      bytes[i] ^= flip;
      if (!file)
        continue;
      for (const Segment &segment : file->segments)
        EXPECT_TRUE(!segment.isHost() ||
                    segment.code == example().segments[1].code)
            << "byte " << i;
    }
}

TEST(SegmentFile, NativeCodeHasAHash) {
  std::string manifest(
      R"({"version":2,"producer":"","model":"","tensors":[],"inputs":[],)"
      R"("outputs":[],"segments":[{"target":"cpu","member":"a.o","nodes":[],)"
      R"("inputs":[],"outputs":[],"reasons":[]}]})");
  EXPECT_EQ(ruleOf(archive({{"manifest.json", manifest}, {"a.o", "x"}})),
            "SEG-7");
}
