//===- BuffersTest.cpp - the memory that a call is given ------------------===//

#include "tally/runtime/Buffers.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
TensorInterface tensor(const std::string &name, int64_t size) {
  return {name, eval::Element::I32, {size}, std::nullopt};
}

/// Two inputs and two outputs of 16 bytes, in 256 bytes of which the last 32
/// are the context's own.
struct Call {
  alignas(64) std::byte memory[256];
  Interface interface;
  Call() {
    interface.inputs = {tensor("a", 4), tensor("b", 4)};
    interface.outputs = {tensor("y", 4), tensor("z", 4)};
  }

  /// Rule and message for buffers that begin so far into the memory.
  std::string check(size_t a, size_t b, size_t y, size_t z) {
    BufferCheck buffers(interface);
    buffers.reserve("the arena", memory + 224, 32);
    const void *inputs[] = {memory + a, memory + b};
    void *outputs[] = {memory + y, memory + z};
    Status status = buffers.check(inputs, outputs);
    return status ? "good"
                  : status.error().rule + ": " + status.error().message;
  }
};
} // namespace

TEST(Buffers, NeighboursDoNotOverlap) {
  Call call;
  EXPECT_EQ(call.check(0, 16, 32, 48), "good");
  EXPECT_EQ(call.check(48, 32, 208, 0), "good"); // 208 to 224: the arena begins
}

TEST(Buffers, InputsMayShareMemory) {
  Call call;
  EXPECT_EQ(call.check(0, 0, 32, 48), "good");
  EXPECT_EQ(call.check(0, 4, 32, 48), "good");
}

TEST(Buffers, AnOutputPassedTwiceIsRefused) {
  EXPECT_EQ(Call().check(0, 16, 32, 32),
            "RUN-18: the memory of output 'z' overlaps that of output 'y'");
}

TEST(Buffers, AnOutputOverlapsNoInput) {
  Call call;
  EXPECT_EQ(call.check(0, 64, 12, 32),
            "RUN-18: the memory of output 'y' overlaps that of input 'a'");
  EXPECT_EQ(call.check(0, 64, 52, 32),
            "RUN-18: the memory of input 'b' overlaps that of output 'y'");
}

TEST(Buffers, AnOverlapIsSeenBehindAShorterBuffer) {
  Call call;
  call.interface.inputs[0] = tensor("a", 16); // 0 to 64
  EXPECT_EQ(call.check(0, 4, 60, 128),
            "RUN-18: the memory of output 'y' overlaps that of input 'a'");
}

TEST(Buffers, MemoryOfTheContextIsItsOwn) {
  Call call;
  EXPECT_EQ(call.check(0, 16, 32, 212),
            "RUN-18: the memory of the arena overlaps that of output 'z'");
  EXPECT_EQ(call.check(0, 228, 32, 48),
            "RUN-18: the memory of input 'b' overlaps that of the arena");
}

TEST(Buffers, ATensorOfNoBytesOverlapsNothing) {
  Call call;
  call.interface.outputs[1] = tensor("z", 0);
  EXPECT_EQ(call.check(0, 16, 32, 32), "good");
}

TEST(Buffers, ABufferIsAlignedToItsElements) {
  Call call;
  EXPECT_EQ(call.check(2, 16, 32, 48),
            "RUN-17: the buffer of input 'a' is not aligned to 4 bytes");
  EXPECT_EQ(call.check(0, 16, 33, 64),
            "RUN-17: the buffer of output 'y' is not aligned to 4 bytes");
}
