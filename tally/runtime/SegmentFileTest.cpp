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

/// Of which x and m are old and new value of a state, and y is the output.
SegmentFile stateful() {
  SegmentFile file = example();
  file.tensors[1] = file.tensors[0];
  file.tensors[1].name = "m";
  StateInterface state;
  state.tensor = file.tensors[0];
  state.tensor.name = "s";
  state.next = 1;
  state.isRead = state.isWritten = true;
  state.writtenBytes = state.copiedBytes = 24;
  state.reason = "copied: segments hand on tensors";
  file.states.states = {state};
  file.states.slotBytes = {24, 24};
  file.states.commit = {1, 0};
  file.states.stateHash = 0xfedcba9876543210;
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

TEST(SegmentFile, StatesComeBack) {
  SegmentFile file = stateful();
  auto back = parseSegments(bytesOf(file), "net.a");
  ASSERT_TRUE(back) << back.error().str();
  EXPECT_EQ(back->states.states, file.states.states);
  EXPECT_EQ(back->states.slotBytes, file.states.slotBytes);
  EXPECT_EQ(back->states.commit, file.states.commit);
  EXPECT_EQ(back->states.stateHash, file.states.stateHash);
  EXPECT_EQ(back->ownInputs(), 0U);
  EXPECT_EQ(back->ownOutputs(), 1U);
  EXPECT_EQ(bytesOf(*back), bytesOf(file));
}

TEST(SegmentFile, StatesAreTheLastInputsAndOutputs) {
  auto afterChange = [](auto change) {
    SegmentFile file = stateful();
    change(file);
    return ruleOf(bytesOf(file));
  };
  EXPECT_EQ(afterChange([](SegmentFile &) {}), "accepted");
  // Another shape, another type, no port at all.
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.tensors[0].shape = {6}; }),
            "SEG-6");
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.outputs = {{"y", 2}}; }),
            "SEG-6");
  EXPECT_EQ(afterChange([](SegmentFile &f) {
              f.states.states.push_back(f.states.states[0]);
              f.states.states[1].tensor.name = "t";
              f.states.states[1].isWritten = false;
            }),
            "SEG-6");
  // Written over its old value.
  EXPECT_EQ(afterChange([](SegmentFile &f) {
              f.states.states[0].policy = StatePolicy::InPlace;
              f.states.states[0].next = 0;
            }),
            "SEG-6");
  // Slots are those of an artifact's description.
  EXPECT_EQ(afterChange([](SegmentFile &f) { f.states.slotBytes[1] = 23; }),
            "IFC-3");
}
