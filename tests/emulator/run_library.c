/* Runs compiled libraries on a processor that need not be this one:

     run_library JOBS

   JOBS is a text file with a job to a line, words apart by spaces:

     selftest LIBRARY SYMBOL WORKSPACE_BYTES
     run LIBRARY SYMBOL ARENA_BYTES INPUTS OUTPUTS INPUT_FILE... OUTPUT_FILE
   BYTES...

   INPUTS and OUTPUTS are numbers of files; inputs are read whole, an output of
   BYTES is written. Each job prints what the library's function returned, or -1
   when it cannot be loaded. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64 };

static void *aligned(size_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!memory)
    exit(2);
  return memset(memory, 0xa5, bytes);
}

static void *readWhole(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    exit(2);
  long bytes = ftell(file);
  void *memory = aligned((size_t)bytes);
  rewind(file);
  if (fread(memory, 1, (size_t)bytes, file) != (size_t)bytes)
    exit(2);
  fclose(file);
  return memory;
}

static void writeWhole(const char *path, const void *memory, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(memory, 1, bytes, file) != bytes || fclose(file))
    exit(2);
}

/* The next word of the job; there must be one. */
static char *word(void) {
  char *text = strtok(NULL, " \n");
  if (!text)
    exit(2);
  return text;
}

static size_t number(void) { return (size_t)strtoull(word(), NULL, 10); }

static void *find(const char *library, const char *symbol, const char *suffix) {
  char name[512];
  snprintf(name, sizeof name, "%s_%s", symbol, suffix);
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    fprintf(stderr, "%s\n", dlerror());
  return handle ? dlsym(handle, name) : NULL;
}

static int selfTest(void) {
  const char *library = word(), *symbol = word();
  int (*test)(void *) = (int (*)(void *))find(library, symbol, "selftest");
  void *workspace = aligned(number());
  int result = test ? test(workspace) : -1;
  free(workspace);
  return result;
}

static int run(void) {
  typedef int Run(const void *const *, void *const *, void *);
  const char *library = word(), *symbol = word();
  Run *entry = (Run *)find(library, symbol, "run");
  void *arena = aligned(number());
  size_t inputs = number(), outputs = number(), sizes[kMost];
  void *in[kMost], *out[kMost];
  char *paths[kMost];
  if (inputs > kMost || outputs > kMost)
    exit(2);
  for (size_t i = 0; i < inputs; ++i)
    in[i] = readWhole(word());
  for (size_t i = 0; i < outputs; ++i) {
    paths[i] = word();
    sizes[i] = number();
    out[i] = aligned(sizes[i]);
  }
  int result = entry ? entry((const void *const *)in, out, arena) : -1;
  for (size_t i = 0; i < inputs; ++i)
    free(in[i]);
  for (size_t i = 0; i < outputs; ++i) {
    if (result == 0)
      writeWhole(paths[i], out[i], sizes[i]);
    free(out[i]);
  }
  free(arena);
  return result;
}

int main(int count, char **arguments) {
  static char line[1 << 16];
  FILE *jobs = count == 2 ? fopen(arguments[1], "r") : NULL;
  if (!jobs)
    return 2;
  while (fgets(line, sizeof line, jobs)) {
    char *kind = strtok(line, " \n");
    if (!kind)
      continue;
    printf("%d\n", strcmp(kind, "run") == 0 ? run() : selfTest());
    fflush(stdout);
  }
  return 0;
}
