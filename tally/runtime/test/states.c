/*===- states.c - contexts and their states from C ------------------------===
 *
 * A test: `states COUNTER.o`, the object of counter.c. Says what does not hold
 * and ends with 1.
 *
 *===----------------------------------------------------------------------===*/

#include "tally-c/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(condition)                                                      \
  ((condition) ? 0                                                             \
               : (++failures,                                                  \
                  fprintf(stderr, "line %d: not %s\n", __LINE__, #condition)))

/* Whether a failure names `rule`; frees its text. */
static int names(char *error, const char *rule) {
  int found = error && strstr(error, rule) != NULL;
  if (!found)
    fprintf(stderr, "%s where %s is wanted\n", error ? error : "none", rule);
  tally_error_free(error);
  return found;
}

/* y := total, then low. x[1] = -1 makes the call fail half-way, -2 refuses it
   as a full cache does. */
static TallyStatus step(TallyContext *context, int32_t a, int32_t b,
                        int32_t *y) {
  int32_t x[2] = {a, b};
  const void *inputs[] = {x};
  void *outputs[] = {y};
  return tally_run(context, inputs, outputs, NULL);
}

static void testInfo(const TallyProgram *program) {
  TallyTensorInfo info;
  EXPECT(tally_state_count(program) == 2);
  EXPECT(tally_state_info(program, 1, &info) == TALLY_OK);
  EXPECT(strcmp(info.name, "low") == 0);
  EXPECT(info.type == TALLY_INT32 && info.rank == 1 && info.bytes == 8);
  EXPECT(tally_state_info(program, 2, &info) == TALLY_USAGE);
  /* Entries at 64, cursors at 88, values at 104, slots at 128, 192, 256. */
  EXPECT(tally_state_block_bytes(program) == 320);
}

static void testResetAndClone(TallyContext *context) {
  TallyContext *copy;
  int32_t y[4], value[2] = {0, 0};
  EXPECT(tally_context_reset(context, NULL) == TALLY_OK);
  EXPECT(step(context, 1, 2, y) == TALLY_OK && y[1] == 2 && y[3] == 2);
  EXPECT(tally_context_clone(context, &copy, NULL) == TALLY_OK);
  EXPECT(step(copy, 10, 10, y) == TALLY_OK && y[1] == 12);
  EXPECT(tally_context_get_state(context, 0, value, NULL) == TALLY_OK);
  EXPECT(value[1] == 2);
  EXPECT(tally_context_reset_state(context, 0, NULL) == TALLY_OK);
  EXPECT(step(context, 0, 0, y) == TALLY_OK && y[1] == 0 && y[2] == 0);
  value[1] = 40;
  EXPECT(tally_context_set_state(copy, 0, value, NULL) == TALLY_OK);
  EXPECT(step(copy, 0, 1, y) == TALLY_OK && y[1] == 41);
  tally_context_free(copy);
}

/* The same steps after a restore, in a context of another's block. */
static void testSave(const TallyProgram *program, TallyContext *context) {
  size_t bytes = tally_saved_bytes(program);
  unsigned char *saved = malloc(bytes);
  size_t blockBytes = tally_state_block_bytes(program);
  void *block = aligned_alloc(TALLY_STATE_BLOCK_ALIGNMENT, blockBytes);
  TallyContext *other;
  int32_t y[4], z[4];
  char *error;
  EXPECT(tally_context_reset(context, NULL) == TALLY_OK);
  EXPECT(step(context, 3, 4, y) == TALLY_OK);
  EXPECT(tally_context_save(context, saved, bytes - 1, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-2"));
  EXPECT(tally_context_save(context, saved, bytes, NULL) == TALLY_OK);
  EXPECT(tally_context_create_in(program, block, blockBytes, &other, NULL) ==
         TALLY_OK);
  EXPECT(tally_context_restore(other, saved, bytes, NULL) == TALLY_OK);
  EXPECT(step(context, 5, -6, y) == TALLY_OK);
  EXPECT(step(other, 5, -6, z) == TALLY_OK);
  EXPECT(memcmp(y, z, sizeof y) == 0);
  saved[40] ^= 1;
  EXPECT(tally_context_restore(other, saved, bytes, &error) == TALLY_MODEL);
  EXPECT(names(error, "SAVE-3"));
  EXPECT(step(other, 0, 0, z) == TALLY_OK && z[0] == 8); /* as it was */
  tally_context_free(other);
  EXPECT(tally_context_create_in(program, (char *)block + 8, blockBytes, &other,
                                 &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-20"));
  free(block);
  free(saved);
}

static void testFailedCall(const TallyProgram *program, TallyContext *context) {
  int32_t x[2] = {-5, -1}, y[4], value[2];
  const void *inputs[] = {x};
  void *outputs[] = {y};
  char *error;
  size_t bytes = tally_saved_bytes(program);
  void *saved = malloc(bytes);
  EXPECT(tally_context_reset(context, NULL) == TALLY_OK);
  EXPECT(step(context, 3, 4, y) == TALLY_OK);
  EXPECT(tally_context_save(context, saved, bytes, NULL) == TALLY_OK);
  EXPECT(tally_run(context, inputs, outputs, &error) == TALLY_INTERNAL);
  EXPECT(names(error, "RUN-8"));
  EXPECT(tally_run(context, inputs, outputs, &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-16"));
  EXPECT(tally_context_get_state(context, 1, value, &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-16"));
  EXPECT(tally_context_restore(context, saved, bytes, NULL) == TALLY_OK);
  EXPECT(step(context, 1, 1, y) == TALLY_OK && y[0] == 4 && y[2] == 1);
  free(saved);
}

/* A value is where the view says until the next use. */
static void testView(TallyContext *context) {
  const void *value;
  int32_t y[4], copy[2];
  char *error;
  EXPECT(tally_context_reset(context, NULL) == TALLY_OK);
  for (int step_ = 1; step_ < 4; ++step_) {
    EXPECT(step(context, step_, 7, y) == TALLY_OK);
    for (size_t state = 0; state < 2; ++state) {
      EXPECT(tally_context_view_state(context, state, &value, NULL) ==
             TALLY_OK);
      EXPECT(tally_context_get_state(context, state, copy, NULL) == TALLY_OK);
      EXPECT(memcmp(value, copy, sizeof copy) == 0);
      EXPECT(memcmp(value, y + 2 * state, sizeof copy) == 0);
    }
  }
  EXPECT(step(context, -5, -1, y) == TALLY_INTERNAL);
  EXPECT(tally_context_view_state(context, 1, &value, &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-16") && value == NULL);
  EXPECT(tally_context_view_state(context, 1, NULL, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_view_state(context, 2, &value, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-2"));
}

/* A full cache: the caller's mistake, and everything is as it was. */
static void testFullCache(const TallyProgram *program, TallyContext *context) {
  int32_t x[2] = {-5, -2}, y[4] = {1, 2, 3, 4}, value[2];
  const void *inputs[] = {x};
  void *outputs[] = {y};
  char *error;
  size_t bytes = tally_saved_bytes(program);
  unsigned char *before = malloc(bytes), *after = malloc(bytes);
  EXPECT(tally_context_reset(context, NULL) == TALLY_OK);
  EXPECT(step(context, 3, 4, y) == TALLY_OK);
  EXPECT(tally_context_save(context, before, bytes, NULL) == TALLY_OK);
  y[0] = 77;
  EXPECT(tally_run(context, inputs, outputs, &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-24"));
  EXPECT(y[0] == 77);
  EXPECT(tally_context_get_state(context, 1, value, NULL) == TALLY_OK);
  EXPECT(value[0] == 3 && value[1] == 4);
  EXPECT(tally_context_save(context, after, bytes, NULL) == TALLY_OK);
  EXPECT(memcmp(before, after, bytes) == 0);
  EXPECT(step(context, 1, 1, y) == TALLY_OK && y[0] == 4 && y[2] == 1);
  free(before);
  free(after);
}

static void testMisuse(const TallyProgram *program, TallyContext *context) {
  int32_t x[4] = {0, 0, 0, 0};
  const void *inputs[] = {x};
  void *outputs[] = {x};
  char *error;
  TallyContext *other;
  EXPECT(tally_run(context, inputs, outputs, &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-18"));
  outputs[0] = (char *)x + 1;
  EXPECT(tally_run(context, inputs, outputs, &error) == TALLY_USAGE);
  EXPECT(names(error, "RUN-17"));
  EXPECT(tally_context_reset_state(context, 2, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-2"));
  EXPECT(tally_context_reset_state(NULL, 0, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_get_state(context, 0, NULL, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_set_state(context, 0, NULL, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_reset(NULL, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_clone(NULL, &other, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_create_in(program, NULL, 0, &other, &error) ==
         TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_save(context, NULL, 0, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
  EXPECT(tally_context_restore(context, NULL, 0, &error) == TALLY_USAGE);
  EXPECT(names(error, "CAPI-1"));
}

int main(int argc, char **argv) {
  TallyProgram *program;
  TallyContext *context;
  if (argc != 2 || tally_program_load(argv[1], &program, NULL) ||
      tally_context_create(program, &context, NULL)) {
    fprintf(stderr, "usage: states COUNTER.o\n");
    return 2;
  }
  testInfo(program);
  testResetAndClone(context);
  testSave(program, context);
  testFailedCall(program, context);
  testFullCache(program, context);
  testView(context);
  testMisuse(program, context);
  tally_program_free(program);
  tally_context_free(context);
  return failures != 0;
}
