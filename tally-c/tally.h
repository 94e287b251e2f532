/*===- tally.h - running compiled models from C ---------------------------===*\
|*
|* Loads a library that `tally compile` made, asks what it takes and gives, and
|* runs it. For programs that choose a model at run time; a program that is
|* linked with its model needs only the header that stands beside it.
|*
|* Ownership: what a function named ..._load, ..._create or ..._clone hands out
|* belongs to the caller, until the matching ..._free. Everything that a
TallyTensorInfo
|* points to belongs to the program and lives as long as it. A context keeps its
|* program alive: the two may be freed in any order. Memory that the caller
|* passes stays the caller's.
|*
|* Threads: a program may be used from several threads at once, a context from
|* one at a time; a second use meanwhile is refused. Give each stream of calls a
|* context of its own. One run is on one thread, unless the program was compiled
|* for several and the context is given some.
|*
|* States: what a model keeps from call to call is its context's. A call sees
|* states as the last one that succeeded left them.
|*
|* Errors: a function that can fail returns a TallyStatus. When that is not
|* TALLY_OK and `error` is not NULL, *error is a text that says what happened
|* and what to try; free it with tally_error_free.
|*
|* This interface is stable: functions and members are added, never changed.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TALLY_C_TALLY_H
#define TALLY_C_TALLY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TALLY_API __attribute__((visibility("default")))

/** What kind of failure it is; the numbers are the exit statuses of the
    command. */
typedef enum TallyStatus {
  TALLY_OK = 0,
  TALLY_USAGE = 2,       /**< the call is wrong */
  TALLY_MODEL = 3,       /**< the file is wrong or damaged */
  TALLY_UNSUPPORTED = 4, /**< made for another format, machine or processor */
  TALLY_SYSTEM = 6,      /**< the system refused: a file, memory */
  TALLY_INTERNAL = 70    /**< a bug in Tally */
} TallyStatus;

/** Element types. Floats of 16 bits travel as their bits. */
typedef enum TallyType {
  TALLY_BOOL = 0, /**< a byte, 0 or 1 */
  TALLY_INT8 = 1,
  TALLY_UINT8 = 2,
  TALLY_INT16 = 3,
  TALLY_UINT16 = 4,
  TALLY_INT32 = 5,
  TALLY_UINT32 = 6,
  TALLY_INT64 = 7,
  TALLY_UINT64 = 8,
  TALLY_FLOAT16 = 9,
  TALLY_BFLOAT16 = 10,
  TALLY_FLOAT32 = 11,
  TALLY_FLOAT64 = 12
} TallyType;

/** One input or output: dense, row-major, `bytes` long. */
typedef struct TallyTensorInfo {
  const char *name; /**< the model's own */
  TallyType type;
  size_t rank;
  const int64_t *shape; /**< `rank` sizes */
  size_t bytes;
  /** 0 for plain numbers. Otherwise the elements are codes, and
      real = scale * (code - zero point) with the scale and zero point at
      position 0, or at the code's index along `axis`. */
  size_t grid_count;
  const float *scales;        /**< `grid_count` of them */
  const int64_t *zero_points; /**< likewise */
  int32_t axis;               /**< -1: one grid for the whole tensor */
} TallyTensorInfo;

typedef struct TallyProgram TallyProgram; /**< loaded code */
typedef struct TallyContext TallyContext; /**< working memory of one run */

/** "0.1.0". */
TALLY_API const char *tally_version(void);

/** Loads the shared library, object or archive at `path`. It is refused, and no
    code of it runs, when it is a damaged shared library (objects and archives
    carry no checksum), or made for another format version, system or
    processor. Constants of a shared library, nearly all of its bytes, are
    checked later: by tally_program_verify, or else by the program's first run,
    before any code of it runs. */
TALLY_API TallyStatus tally_program_load(const char *path,
                                         TallyProgram **program, char **error);
TALLY_API void tally_program_free(TallyProgram *program); /**< NULL is fine */

/** Reads the constants of a shared library and checks them, once; the first run
    has them at hand then. When they are damaged, this and every run is
    TALLY_MODEL. */
TALLY_API TallyStatus tally_program_verify(const TallyProgram *program,
                                           char **error);

TALLY_API size_t tally_input_count(const TallyProgram *program);
TALLY_API size_t tally_output_count(const TallyProgram *program);

/** Fills `info`; TALLY_USAGE when `index` is not below the count. */
TALLY_API TallyStatus tally_input_info(const TallyProgram *program,
                                       size_t index, TallyTensorInfo *info);
TALLY_API TallyStatus tally_output_info(const TallyProgram *program,
                                        size_t index, TallyTensorInfo *info);

/** Bytes of working memory of a context, and of constants in the code. */
TALLY_API size_t tally_arena_bytes(const TallyProgram *program);
TALLY_API size_t tally_constant_bytes(const TallyProgram *program);

/** The whole interface as JSON text, with a "version". Lives as long as the
    program. */
TALLY_API const char *tally_interface_json(const TallyProgram *program);

/** Allocates the working memory of runs. Nothing is allocated after that. */
TALLY_API TallyStatus tally_context_create(const TallyProgram *program,
                                           TallyContext **context,
                                           char **error);
TALLY_API void tally_context_free(TallyContext *context); /**< NULL is fine */

/** One run. `inputs` and `outputs` are one pointer per tensor, in the order of
    their indices, each to as many bytes as its info says and a multiple of its
    element's size. What is written overlaps nothing: outputs no other output,
    no input and no memory of the context. The states change only when the run
    succeeds. */
TALLY_API TallyStatus tally_run(TallyContext *context,
                                const void *const *inputs, void *const *outputs,
                                char **error);

/** How many threads can work on one run: what the program was compiled for
    (--threads), otherwise 1. */
TALLY_API size_t tally_thread_count(const TallyProgram *program);

/** From now on `threads` threads work on each run of the context: the one that
    calls, and a pool that is the context's own, whose threads sleep between
    runs. 1 ends it. The results have the same bits for any number. More than
    tally_thread_count is TALLY_USAGE. */
TALLY_API TallyStatus tally_context_set_threads(TallyContext *context,
                                                size_t threads, char **error);

/** Does part `part` of `parts` of some work; see TallyParallelFor. */
typedef void (*TallyParallelTask)(void *data, int32_t part, int32_t parts);

/** Work on threads of the caller's: chooses a number of parts, at least 1 and
    at most `most_parts`, calls task(data, part, parts) once for each
    part = 0 ... parts - 1, on any threads and at the same time or not, and
    returns when all have returned. Where it chooses more than `most_parts`, the
    parts from that number on do nothing. */
typedef void (*TallyParallelFor)(void *user, int32_t most_parts,
                                 TallyParallelTask task, void *data);

/** From now on each run of the context has its work done by `parallel_for`,
    which is given `user`; NULL: by the thread that calls. TALLY_USAGE when
    tally_thread_count is 1. */
TALLY_API TallyStatus tally_context_set_parallel_for(
    TallyContext *context, TallyParallelFor parallel_for, void *user,
    char **error);

/** The tensors that a context keeps from run to run, as inputs above. */
TALLY_API size_t tally_state_count(const TallyProgram *program);
TALLY_API TallyStatus tally_state_info(const TallyProgram *program,
                                       size_t index, TallyTensorInfo *info);

/** Bytes of the block that holds a context's states; 0 without states. */
TALLY_API size_t tally_state_block_bytes(const TallyProgram *program);

/** The alignment of that block. */
#define TALLY_STATE_BLOCK_ALIGNMENT 64

/** tally_context_create with states in `block`, which is the context's until it
    is freed: at least tally_state_block_bytes, aligned. */
TALLY_API TallyStatus tally_context_create_in(const TallyProgram *program,
                                              void *block, size_t bytes,
                                              TallyContext **context,
                                              char **error);

/** Another context that goes on from the same states. Free it, too. */
TALLY_API TallyStatus tally_context_clone(TallyContext *context,
                                          TallyContext **copy, char **error);

/** All states, or the one with this index, as before the first run. */
TALLY_API TallyStatus tally_context_reset(TallyContext *context, char **error);
TALLY_API TallyStatus tally_context_reset_state(TallyContext *context,
                                                size_t state, char **error);

/** Copies a state's value, with the bytes of its info, out of the context or
    into it. TALLY_USAGE when a state to be read has no value: it is the
    caller's to give, or a run failed that may have overwritten it. */
TALLY_API TallyStatus tally_context_get_state(TallyContext *context,
                                              size_t state, void *value,
                                              char **error);
TALLY_API TallyStatus tally_context_set_state(TallyContext *context,
                                              size_t state, const void *value,
                                              char **error);

/** Where a state's value is, as tally_context_get_state would copy it: an
   output that costs no copy and no second store. It may be read until the
   context is used again, and is TALLY_UNSUPPORTED for a value in pieces, the
   history of several rows that slide. */
TALLY_API TallyStatus tally_context_view_state(TallyContext *context,
                                               size_t state, const void **value,
                                               char **error);

/** All states as tally_saved_bytes bytes, which every context of the same
    model restores, in any process and whatever it was compiled for; the bytes
    of another model are refused, and those that are damaged. A context that
    refuses has the states it had. */
TALLY_API size_t tally_saved_bytes(const TallyProgram *program);
TALLY_API TallyStatus tally_context_save(TallyContext *context, void *saved,
                                         size_t bytes, char **error);
TALLY_API TallyStatus tally_context_restore(TallyContext *context,
                                            const void *saved, size_t bytes,
                                            char **error);

TALLY_API void tally_error_free(char *error); /**< NULL is fine */

#ifdef __cplusplus
}
#endif

#endif /* TALLY_C_TALLY_H */
