/* Two streams of a model that remembers, with nothing but its header. */

#include "fib.h"

#include <stdio.h>

static _Alignas(
    FIB_STATE_BLOCK_ALIGNMENT) unsigned char blocks[2][FIB_STATE_BLOCK_BYTES];
static _Alignas(FIB_ARENA_ALIGNMENT) unsigned char arena[FIB_ARENA_BYTES + 1];

int main(void) {
  float next[FIB_OUTPUT_B_NEXT_ELEMENTS];
  fib_reset(blocks[0]);
  fib_reset(blocks[1]);
  for (int step = 0; step < 9; ++step) {
    int stream = step % 3 == 2; /* one goes on twice as fast */
    if (fib_call(next, blocks[stream], arena))
      return 1;
    printf("stream %d: %g\n", stream, next[0]);
  }
  return 0;
}
