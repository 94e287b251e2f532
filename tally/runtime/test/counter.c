/*===- counter.c - a stand-in for a compiled model with states ------------===
 *
 * Two states of two int32 each. `total` flips: its new value is old + x. `low`
 * is overwritten in place: the smallest x so far, 100 at first. The output is
 * the new total, then low. A run with x[1] = -1 fails after it has written half
 * of everything, as an engine could that stops in the middle; one with x[1] =
 * -2 is refused before it writes anything, as by a cache without room.
 *
 *===----------------------------------------------------------------------===*/

#include <stdint.h>

#define PAIR(name) "\"name\":\"" name "\",\"type\":\"int32\",\"shape\":[2]"
#define STATE(name, policy, current, next, initial)                            \
  "{\"tensor\":{" PAIR(                                                        \
      name) "},\"policy\":\"" policy "\",\"current\":" current                 \
            ",\"next\":" next ",\"is_read\":true,\"is_written\":true,"         \
            "\"advance\":0,\"target\":0,"                                      \
            "\"extent\":0,\"rows\":1,\"pitch\":0,\"initial\":\"" initial       \
            "\",\"written_bytes\":8,\"copied_bytes\":0}"
#define INTERFACE                                                              \
  "{\"version\":2,\"producer\":\"hand\",\"symbol\":\"counter\",\"model\":"     \
  "\"counter.onnx\",\"numerics\":\"ideal\",\"target\":\"x86_64-linux-gnu\","   \
  "\"tiers\":[\"x86-64\"],\"inputs\":[{" PAIR(                                 \
      "x") "}],\"outputs\":"                                                   \
           "[{\"name\":\"y\",\"type\":\"int32\",\"shape\":[4]}],\"arena_"      \
           "bytes\":0,"                                                        \
           "\"arena_alignment\":64,\"static_arena\":false,\"self_test_"        \
           "bytes\":0,"                                                        \
           "\"constant_bytes\":0,\"stages\":[],\"peak\":[],\"states\":"        \
           "[" STATE("total", "flip", "0", "1", "AAAAAA==") "," STATE(         \
               "low", "in place", "2", "2",                                    \
               "ZAAAAA==") "],\"slot_bytes\":[8,8,8],"                         \
                           "\"commit\":[1,0,2],\"state_hash\":"                \
                           "\"0x00000000000000c0\"}"

const char counter_interface[] = INTERFACE;

static const struct {
  uint32_t nameBytes, contentBytes, type;
  char name[8];
  char contents[sizeof INTERFACE - 1];
} note __attribute__((used, section(".note.tally"), aligned(4))) = {
    6, sizeof INTERFACE - 1, 1, "Tally", INTERFACE};

int32_t counter_run(const void *const *inputs, void *const *outputs,
                    void *arena) {
  (void)arena;
  const int32_t *x = inputs[0], *oldTotal = inputs[1], *oldLow = inputs[2];
  int32_t *y = outputs[0], *total = outputs[1], *low = outputs[2];
  if (x[1] == -2)
    return 4;
  for (int i = 0; i < 2; ++i) {
    if (i == 1 && x[i] == -1)
      return 7;
    y[i] = total[i] = oldTotal[i] + x[i];
    y[i + 2] = low[i] = x[i] < oldLow[i] ? x[i] : oldLow[i];
  }
  return 0;
}
