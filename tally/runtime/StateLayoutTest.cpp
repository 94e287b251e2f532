//===- StateLayoutTest.cpp - the block that holds a context's states ------===//

#include "tally/runtime/StateLayout.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
StateInterface bytesState(const std::string &name, const std::string &initial) {
  StateInterface state{{name, eval::Element::U8, {4}, std::nullopt}};
  state.isRead = true;
  state.initial = initial;
  return state;
}

/// A block of memory that held something else before.
struct Block {
  explicit Block(const Interface &interface)
      : memory(stateLayout(interface).bytes + kStateAlignment, std::byte(0xa5)),
        states(interface, aligned()) {
    states.reset();
  }
  void *aligned() {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    return memory.data() + (kStateAlignment - address % kStateAlignment);
  }
  std::string value(size_t state) const {
    std::string bytes(4, '?');
    states.readValue(state, bytes.data());
    return bytes;
  }
  std::vector<std::byte> memory;
  StateBlock states;
};
} // namespace

TEST(StateLayout, SlotsStandBehindEntriesCursorsAndValues) {
  Interface interface;
  EXPECT_EQ(stateLayout(interface).bytes, 0);
  interface.states = {bytesState("a", "aaaa"), bytesState("b", "bbbb")};
  interface.slotBytes = {4, 4, 65};
  // Entries at 64 to 88, cursors to 104, values to 120; then multiples of 64.
  StateLayout layout = stateLayout(interface);
  EXPECT_EQ(layout.entries, 64);
  EXPECT_EQ(layout.cursors, 88);
  EXPECT_EQ(layout.values, 104);
  EXPECT_EQ(layout.slots, (std::vector<int64_t>{128, 192, 256}));
  EXPECT_EQ(layout.bytes, 384); // 256 + 65, rounded up
}

TEST(StateLayout, AFlipShowsTheNewValueAfterTheCommitOnly) {
  Interface interface;
  interface.states = {bytesState("h", "zero")};
  interface.states[0].next = 1;
  interface.slotBytes = {4, 4};
  interface.commit = {1, 0};
  Block block(interface);
  for (const char *value : {"one.", "two.", "many"}) {
    std::string before = block.value(0);
    std::memcpy(block.states.newValue(0), value, 4);
    EXPECT_EQ(block.value(0), before); // a call that fails ends here
    block.states.commit();
    EXPECT_EQ(block.value(0), value);
  }
  block.states.reset();
  EXPECT_EQ(block.value(0), "zero");
}

TEST(StateLayout, AnExchangeMovesNoBytes) {
  Interface interface;
  interface.states = {bytesState("a", "aaaa"), bytesState("b", "bbbb")};
  interface.states[1].current = interface.states[1].next = 1;
  interface.slotBytes = {4, 4};
  interface.commit = {1, 0};
  Block block(interface);
  const void *a = block.states.oldValue(0), *b = block.states.oldValue(1);
  block.states.commit();
  EXPECT_EQ(block.states.oldValue(0), b);
  EXPECT_EQ(block.states.oldValue(1), a);
  block.states.reset(0); // one state alone, wherever it is
  EXPECT_EQ(block.value(0), "aaaa");
  EXPECT_EQ(block.value(1), "aaaa");
  block.states.commit();
  EXPECT_EQ(block.states.oldValue(0), a);
}

TEST(StateLayout, ARingWritesWhatEntersAndMovesAtTheSlotsEndOnly) {
  Interface interface;
  interface.states = {bytesState("x", "abcd")};
  interface.states[0].advance = interface.states[0].target = 1;
  interface.states[0].extent = 5;
  interface.slotBytes = {6}; // abcd.. -> .bcde. -> ..cdef, then defg again
  interface.commit = {0};
  Block block(interface);
  auto *slot = static_cast<const char *>(block.states.oldValue(0));
  std::vector<int64_t> begins;
  for (const char *now = "efghijk"; *now; ++now) {
    static_cast<char *>(block.states.newValue(0))[3] = *now;
    block.states.commit();
    EXPECT_EQ(block.value(0).back(), *now);
    begins.push_back(static_cast<const char *>(block.states.oldValue(0)) -
                     slot);
  }
  EXPECT_EQ(block.value(0), "hijk");
  // At 2 the next value would end behind byte 6: it moved to 0 at once.
  EXPECT_EQ(begins, (std::vector<int64_t>{1, 0, 1, 0, 1, 0, 1}));
}

TEST(StateLayout, ARingWithTheNewestFirstSlidesDown) {
  Interface interface;
  interface.states = {bytesState("x", "abcd")};
  interface.states[0].advance = interface.states[0].target = -1;
  interface.slotBytes = {6}; // ..abcd -> .eabc. -> feab.., then ..feab
  interface.commit = {0};
  Block block(interface);
  auto *slot = static_cast<const char *>(block.states.oldValue(0)) - 2;
  std::vector<int64_t> begins;
  for (const char *now = "efghijk"; *now; ++now) {
    static_cast<char *>(block.states.newValue(0))[0] = *now;
    block.states.commit();
    EXPECT_EQ(block.value(0).front(), *now);
    begins.push_back(static_cast<const char *>(block.states.oldValue(0)) -
                     slot);
  }
  EXPECT_EQ(block.value(0), "kjih");
  // At 0 the next value would begin before the slot: it moved to 2 at once.
  EXPECT_EQ(begins, (std::vector<int64_t>{1, 2, 1, 2, 1, 2, 1}));
}

TEST(StateLayout, RowsOfAContextStandApart) {
  Interface interface;
  interface.states = {bytesState("x", "abcd")}; // two rows of two
  StateInterface &x = interface.states[0];
  x.advance = 1; // one byte enters behind each row: ab. cd.
  x.extent = 6;
  x.rows = 2;
  x.pitch = 3;
  interface.slotBytes = {12};
  interface.commit = {0};
  Block block(interface);
  for (const char *now = "012345678"; now[1]; ++now) {
    auto *all = static_cast<char *>(block.states.newValue(0));
    all[2] = now[0];
    all[5] = now[1];
    block.states.commit();
  }
  EXPECT_EQ(block.value(0), "6778");
}

TEST(StateLayout, AStateWithoutAnInitialValueWaitsForOne) {
  Interface interface;
  interface.states = {bytesState("h", "")};
  interface.states[0].initial.reset();
  interface.slotBytes = {4};
  interface.commit = {0};
  Block block(interface);
  Status status = block.states.checkValues();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "RUN-15");
  EXPECT_EQ(status.error().kind, FailureKind::Usage);
  EXPECT_NE(status.error().message.find("'h'"), std::string::npos);
  block.states.setValue(0, "good");
  EXPECT_TRUE(block.states.checkValues());
  block.states.reset();
  EXPECT_FALSE(block.states.checkValues());
}

TEST(StateLayout, ANumberWithoutRoomIsToldByName) {
  Interface interface;
  interface.states = {bytesState("h", "zero"),
                      {{"rows", eval::Element::I64, {}, std::nullopt}}};
  interface.states[1].isRead = true;
  interface.states[1].current = interface.states[1].next = 1;
  interface.states[1].most = 3;
  interface.slotBytes = {4, 8};
  interface.commit = {0, 1};
  Block block(interface);
  EXPECT_EQ(block.states.checkNumbers().error().rule, "RUN-15");
  for (int64_t rows : {0, 3}) {
    block.states.setValue(1, &rows);
    EXPECT_TRUE(block.states.checkNumbers());
  }
  for (int64_t rows : {-1, 4}) {
    block.states.setValue(1, &rows);
    std::string why = rows > 3 ? ": a cache has no room for another one" : "";
    EXPECT_EQ(block.states.checkNumbers().error().str(),
              "state 'rows' is " + std::to_string(rows) +
                  "; a call can begin with 0 to 3" + why +
                  " [RUN-24]; reset the states, or compile the model for more "
                  "rows");
  }
}

TEST(StateLayout, WhatACallOverwritesIsLostUntilItSucceeds) {
  Interface interface;
  interface.states = {bytesState("f", "flip"), bytesState("p", "over")};
  interface.states[0].next = 1;
  interface.states[1].current = interface.states[1].next = 2;
  interface.states[1].policy = StatePolicy::InPlace;
  interface.slotBytes = {4, 4, 4};
  interface.commit = {1, 0, 2};
  Block block(interface);
  block.states.begin();
  Status status = block.states.checkValues();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "RUN-16");
  EXPECT_EQ(status.error().kind, FailureKind::Usage);
  EXPECT_NE(status.error().message.find("'p'"), std::string::npos);
  EXPECT_TRUE(block.states.checkValue(0)); // the call fails, and 'f' is there
  block.states.reset(1);
  EXPECT_TRUE(block.states.checkValues());
  block.states.begin();
  block.states.commit();
  EXPECT_TRUE(block.states.checkValues());
}
