//===- EncodeFuzz.cpp - libFuzzer on words and instructions ---------------===//

#include "tally/emit/encode/Encode.h"
#include "tally/emit/encode/Random.h"

#include <cstdlib>
#include <cstring>

using namespace tally;
using namespace tally::isa;

static void check(bool holds) {
  if (!holds)
    abort();
}

/// Instructions of one input: with some ten thousand inputs in a second, a run
/// of a minute makes far more than a million round trips.
static constexpr int kInstructions = 64;

/// The input's words decode to instructions that encode to them, or not at all;
/// random instructions, seeded by the input, survive the way to bits and back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint64_t seed = size;
  for (size_t at = 0; at + 4 <= size; at += 4) {
    uint32_t word = 0;
    memcpy(&word, data + at, 4);
    seed = seed * 6364136223846793005u + word;
    if (Result<Instruction> instruction = decode(word)) {
      Result<uint32_t> again = encode(*instruction);
      check(again && *again == word);
    }
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < kInstructions; ++i) {
    Instruction instruction = randomInstruction(random);
    Result<uint32_t> word = encode(instruction);
    check(bool(word));
    Result<Instruction> back = decode(*word);
    check(back && *back == instruction);
  }
  return 0;
}
