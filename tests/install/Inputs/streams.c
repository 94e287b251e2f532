/* The same by the C interface, and with what was saved on the way. */

#include <tally-c/tally.h>

#include <stdio.h>
#include <stdlib.h>

static int failed(char *error) {
  fprintf(stderr, "%s\n", error);
  tally_error_free(error);
  return 1;
}

int main(int argc, char **argv) {
  TallyProgram *program;
  TallyContext *streams[2];
  char *error;
  float next[2];
  void *outputs[] = {next};
  if (argc != 2)
    return 2;
  if (tally_program_load(argv[1], &program, &error) ||
      tally_context_create(program, &streams[0], &error) ||
      tally_context_create(program, &streams[1], &error))
    return failed(error);
  size_t bytes = tally_saved_bytes(program);
  void *saved = malloc(bytes);
  for (int step = 0; step < 9; ++step) {
    int stream = step % 3 == 2;
    if (tally_run(streams[stream], NULL, outputs, &error))
      return failed(error);
    printf("stream %d: %g\n", stream, next[0]);
    /* Forget everything, and go on from what was saved. */
    if (tally_context_save(streams[stream], saved, bytes, &error) ||
        tally_context_reset(streams[stream], &error) ||
        tally_context_restore(streams[stream], saved, bytes, &error))
      return failed(error);
  }
  free(saved);
  tally_context_free(streams[0]);
  tally_context_free(streams[1]);
  tally_program_free(program);
  return 0;
}
