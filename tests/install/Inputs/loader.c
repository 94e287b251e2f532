/* Loads a compiled model at run time, by the C interface. */

#include <tally-c/tally.h>

#include <stdio.h>
#include <stdlib.h>

static int failed(char *error) {
  fprintf(stderr, "%s\n", error);
  tally_error_free(error);
  return 1;
}

static void show(const char *role, const TallyTensorInfo *info) {
  fprintf(stderr, "%s %s:", role, info->name);
  for (size_t i = 0; i < info->rank; ++i)
    fprintf(stderr, " %lld", (long long)info->shape[i]);
  fprintf(stderr, ", %zu bytes\n", info->bytes);
}

int main(int argc, char **argv) {
  TallyProgram *program;
  TallyContext *context;
  TallyTensorInfo in, out;
  char *error;
  if (argc != 2)
    return 2;
  if (tally_program_load(argv[1], &program, &error))
    return failed(error);
  if (tally_input_info(program, 0, &in) || tally_output_info(program, 0, &out))
    return 3;
  show("input", &in);
  show("output", &out);
  if (in.type != TALLY_FLOAT32 || out.type != TALLY_FLOAT32)
    return 4;
  if (tally_context_create(program, &context, &error))
    return failed(error);
  float *image = malloc(in.bytes), *logits = malloc(out.bytes);
  if (!image || !logits)
    return 5;
  for (size_t i = 0; i < in.bytes / sizeof *image; ++i)
    image[i] = (float)(i % 17) / 16;
  const void *inputs[] = {image};
  void *outputs[] = {logits};
  if (tally_run(context, inputs, outputs, &error))
    return failed(error);
  for (size_t i = 0; i < out.bytes / sizeof *logits; ++i)
    printf("%.9g\n", logits[i]);
  free(image);
  free(logits);
  tally_context_free(context);
  tally_program_free(program);
  return 0;
}
