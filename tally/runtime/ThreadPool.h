//===- ThreadPool.h - threads that run parts of steps -----------*- C++ -*-===//
//
// For steps of some ten microseconds that follow each other closely: threads
// look for work a while before they sleep. The caller works as well, so a pool
// of n threads starts n - 1, and none at all for one. There are two parts for
// each thread, if the work has as many, and who is done early takes those of
// others.
//
// Rule RUN-23: the system starts the threads (System).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_THREADPOOL_H
#define TALLY_RUNTIME_THREADPOOL_H

#include "tally/runtime/ParallelFor.h"
#include "tally/support/Result.h"

#include <memory>

namespace tally::runtime {

/// Called by one thread at a time.
class ThreadPool {
public:
  /// `threads` of them, the caller's included; at least 1. RUN-23.
  static Result<std::unique_ptr<ThreadPool>> create(int32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int32_t threads() const;

  /// A ParallelFor; `pool` is a ThreadPool. Allocates nothing.
  static void parallelFor(void *pool, int32_t mostParts, ParallelTask task,
                          void *data);

private:
  struct Team;
  struct Beginning { ///< what a thread is given
    ThreadPool *pool;
    size_t thread;
  };
  static void begin(Beginning &given);
  explicit ThreadPool(std::unique_ptr<Team> team);
  std::unique_ptr<Team> team; ///< its address is the threads'
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_THREADPOOL_H
