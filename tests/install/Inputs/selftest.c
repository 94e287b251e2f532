/* Asks a model whether this machine gives the exact evaluator's bits. */

#include "digits.h"

#include <stdio.h>

static _Alignas(64) char workspace[DIGITS_SELFTEST_BYTES];

int main(void) {
  int status = digits_selftest(workspace);
  printf("self-test: %d\n", status);
  return status;
}
