/* A program linked with its model: no library of Tally's, no heap. */

#include "digits.h"

#include <stdio.h>

static float image[DIGITS_INPUT_IMAGE_ELEMENTS];
static float logits[DIGITS_OUTPUT_LOGITS_ELEMENTS];

int main(void) {
  for (int i = 0; i < DIGITS_INPUT_IMAGE_ELEMENTS; ++i)
    image[i] = (float)(i % 17) / 16;
  /* NULL: the arena that --static-arena built in. */
  if (digits_call(image, logits, NULL))
    return 1;
  for (int i = 0; i < DIGITS_OUTPUT_LOGITS_ELEMENTS; ++i)
    printf("%.9g\n", logits[i]);
  return 0;
}
