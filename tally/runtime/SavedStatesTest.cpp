//===- SavedStatesTest.cpp - values of states outside a context -----------===//

#include "tally/runtime/SavedStates.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
constexpr uint64_t kHash = 0x1234;

const std::vector<TensorInterface> kStates = {
    {"h", eval::Element::I8, {3}, std::nullopt},
    {"count", eval::Element::I32, {1, 2}, std::nullopt}};

eval::Tensor valueOf(const TensorInterface &state, uint8_t byte) {
  eval::Tensor tensor{state.shape, state.element, state.quant, nullptr};
  tensor.allocate();
  std::memset(tensor.storage.get(), byte, size_t(tensor.byteCount()));
  return tensor;
}

NamedTensors values() {
  return {{"h", valueOf(kStates[0], 7)}, {"count", valueOf(kStates[1], 9)}};
}

Result<NamedTensors> load(const std::string &text,
                          const std::vector<TensorInterface> &states = kStates,
                          uint64_t hash = kHash) {
  return loadStates(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()}, states,
      hash);
}

std::string ruleOf(Result<NamedTensors> loaded) {
  return loaded ? "good" : loaded.error().rule;
}
} // namespace

TEST(SavedStates, ComeBackInAnyOrderOfStates) {
  std::string text = saveStates(kStates, kHash, values());
  EXPECT_EQ(static_cast<int64_t>(text.size()), savedBytes(kStates));
  auto loaded = load(text, {kStates[1], kStates[0]});
  ASSERT_TRUE(loaded) << loaded.error().str();
  ASSERT_EQ(loaded->size(), 2u);
  EXPECT_EQ(loaded->at("h").data<int8_t>()[2], 7);
  EXPECT_EQ(loaded->at("count").data<int32_t>()[1], 0x09090909);
  EXPECT_EQ(saveStates({kStates[1], kStates[0]}, kHash, values()), text);
}

TEST(SavedStates, AStateWithoutAValueStaysWithout) {
  NamedTensors some = values();
  some.erase("h");
  std::string text = saveStates(kStates, kHash, some);
  EXPECT_EQ(static_cast<int64_t>(text.size()), savedBytes(kStates));
  auto loaded = load(text);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->count("h"), 0u);
  EXPECT_EQ(loaded->count("count"), 1u);
}

TEST(SavedStates, OtherBytesAreNotSavedStates) {
  EXPECT_EQ(ruleOf(load("")), "SAVE-1");
  EXPECT_EQ(ruleOf(load(std::string(200, 'x'))), "SAVE-1");
}

TEST(SavedStates, AnotherVersionIsRefused) {
  std::string text = saveStates(kStates, kHash, values());
  text[8] = 2;
  auto loaded = load(text);
  EXPECT_EQ(ruleOf(loaded), "SAVE-2");
  EXPECT_EQ(loaded.error().kind, FailureKind::Unsupported);
}

TEST(SavedStates, EveryDamagedBitIsSeen) {
  std::string text = saveStates(kStates, kHash, values());
  for (size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string damaged = text;
    damaged[bit / 8] ^= char(1 << bit % 8);
    EXPECT_FALSE(load(damaged)) << "bit " << bit;
  }
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(load(text.substr(0, size))) << size << " bytes";
  EXPECT_EQ(ruleOf(load(text + '\0')), "SAVE-3");
}

TEST(SavedStates, AnotherModelIsRefused) {
  std::string text = saveStates(kStates, kHash, values());
  EXPECT_EQ(ruleOf(load(text, kStates, kHash + 1)), "SAVE-4");
  EXPECT_EQ(ruleOf(load(text, {kStates[0]})), "SAVE-4");
  auto changed = [&](auto change) {
    std::vector<TensorInterface> states = kStates;
    change(states[0]);
    return ruleOf(load(text, states));
  };
  EXPECT_EQ(changed([](TensorInterface &h) { h.name = "g"; }), "SAVE-4");
  EXPECT_EQ(changed([](TensorInterface &h) { h.shape = {2}; }), "SAVE-4");
  EXPECT_EQ(changed([](TensorInterface &h) { h.element = eval::Element::U8; }),
            "SAVE-4");
  EXPECT_EQ(load(text, kStates, 0).error().kind, FailureKind::Usage);
}
