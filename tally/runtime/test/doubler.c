/*===- doubler.c - a stand-in for a compiled model ------------------------===
 *
 * The symbols and the note of an object that cpu/CpuCompiler.h describes,
 * written by hand: output = 2 * input, by way of the arena. Tests of loading
 * and linking need no compiler for it.
 *
 *===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <string.h>

#ifndef DOUBLER_VERSION
#define DOUBLER_VERSION "1"
#endif
#ifndef DOUBLER_TARGET
#define DOUBLER_TARGET "x86_64-linux-gnu"
#endif
#ifndef DOUBLER_TIERS
#define DOUBLER_TIERS "\"x86-64\""
#endif

#define GRID                                                                   \
  "{\"min\":-128,\"max\":127,\"axis\":-1,\"scales\":[0.5],\"zero_points\":"    \
  "[3]}"
#define INTERFACE                                                              \
  "{\"version\":" DOUBLER_VERSION ",\"producer\":\"hand\",\"symbol\":"         \
  "\"doubler\",\"model\":\"doubler.onnx\",\"numerics\":\"ideal\",\"target\":"  \
  "\"" DOUBLER_TARGET "\",\"tiers\":[" DOUBLER_TIERS "],\"inputs\":"           \
  "[{\"name\":\"in/"                                                           \
  "x\",\"type\":\"int8\",\"shape\":[2,3],\"quantization\":" GRID               \
  "}],\"outputs\":[{\"name\":\"y\",\"type\":\"int32\",\"shape\":[2,3]}],"      \
  "\"arena_bytes\":24,\"arena_alignment\":64,\"static_arena\":false,"          \
  "\"self_test_bytes\":0,"                                                     \
  "\"constant_bytes\":4,\"stages\":[{\"node\":\"twice\",\"op\":\"mul\","       \
  "\"result\":\"int32 2x3\",\"macs\":6,\"constant_bytes\":4,\"float\":false}]" \
  ",\"peak\":[{\"name\":\"y\",\"bytes\":24}]}"

const char doubler_interface[] = INTERFACE;

static const struct {
  uint32_t nameBytes, contentBytes, type;
  char name[8];
  char contents[sizeof INTERFACE - 1];
} note __attribute__((used, section(".note.tally"), aligned(4))) = {
    6, sizeof INTERFACE - 1, 1, "Tally", INTERFACE};

/* Constants must survive linking. */
static const volatile int32_t two = 2;

int32_t doubler_helper(int32_t x) { return two * x; }

int32_t doubler_run(const void *const *inputs, void *const *outputs,
                    void *arena) {
  if (!inputs || !outputs || !arena || (uintptr_t)arena % 64)
    return 1;
  const int8_t *x = inputs[0];
  int32_t *scratch = arena;
  for (int i = 0; i < 6; ++i)
    scratch[i] = doubler_helper(x[i]);
  memcpy(outputs[0], scratch, 6 * sizeof *scratch);
  return 0;
}

/* Not of the model's prefix: must not be exported by a shared library. */
int32_t other_run(void) { return 7; }
