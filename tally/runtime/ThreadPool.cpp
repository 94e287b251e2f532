//===- ThreadPool.cpp - threads that run parts of steps -------------------===//
//
// Cores are not equally fast at all times, so there are some parts for each
// thread. Those of thread i are neighbours, a range that is one word, and a
// part is taken by who changes the word: its thread from the front, others,
// when they have none left, from the back.
//
//     parts 0 ... 3 of two threads    [0, 2)  [2, 4)
//     each has taken one              [1, 2)  [3, 4)
//     thread 0 has taken all its own  [2, 2)  [3, 4)
//     and one of thread 1's           [2, 2)  [3, 3)
//
// So a thread mostly finds in its cache what it wrote a step ago. The caller
// returns when no part is left to be done; who has taken a part may read the
// job until then. A number of the round tells threads that there is a new job.
//
// Cost: some changes of a cache line's owner per part, half a microsecond for
// two threads that are awake; a call of the system when they sleep.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <vector>

using namespace tally;
using namespace tally::runtime;

namespace {
/// Looks at a word that are made before a thread sleeps: some 50 microseconds.
constexpr int kLooks = 1200;
/// Parts for each thread, if the job has as many.
constexpr int32_t kPartsOfThread = 2;

/// Parts [begin, end) that nobody has taken, in a line of the cache of its own.
class alignas(128) PartRange {
public:
  void set(int32_t begin, int32_t end) {
    word.store(packed(static_cast<uint32_t>(begin), static_cast<uint32_t>(end)),
               std::memory_order_release);
  }
  /// A part, or -1 when none is left.
  int32_t takeFirst() {
    return take([](uint32_t &begin, uint32_t &) { return begin++; });
  }
  int32_t takeLast() {
    return take([](uint32_t &, uint32_t &end) { return --end; });
  }

private:
  static uint64_t packed(uint32_t begin, uint32_t end) {
    return uint64_t(end) << 32 | begin;
  }
  template <typename Choose> int32_t take(Choose choose) {
    uint64_t old = word.load(std::memory_order_acquire);
    for (;;) {
      auto begin = static_cast<uint32_t>(old);
      auto end = static_cast<uint32_t>(old >> 32);
      if (begin >= end)
        return -1;
      uint32_t part = choose(begin, end);
      if (word.compare_exchange_weak(old, packed(begin, end),
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire))
        return static_cast<int32_t>(part);
    }
  }

  std::atomic<uint64_t> word = 0;
};

struct Job {
  ParallelTask task = nullptr;
  void *data = nullptr;
  int32_t parts = 0;
};
} // namespace

/// Tells the processor that a thread waits.
static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Returns when the word is no longer `old`.
static void waitWhile(std::atomic<uint32_t> &word, uint32_t old) {
  for (int look = 0; look < kLooks; ++look) {
    if (word.load(std::memory_order_acquire) != old)
      return;
    relax();
  }
  word.wait(old, std::memory_order_acquire);
}

struct ThreadPool::Team {
  explicit Team(int32_t threads) : ranges(static_cast<size_t>(threads)) {}

  void doPart(int32_t part);
  void doParts(size_t thread);
  void live(size_t thread);
  void run(const Job &next);
  void close();

  std::vector<PartRange> ranges; ///< by thread; the caller is the first
  std::vector<pthread_t> started;
  Job job;
  std::atomic<bool> isClosed = false;
  alignas(128) std::atomic<uint32_t> round = 0;
  alignas(128) std::atomic<uint32_t> left = 0; ///< parts that are not done
};

/// A part that was taken.
void ThreadPool::Team::doPart(int32_t part) {
  job.task(job.data, part, job.parts);
  if (left.fetch_sub(1, std::memory_order_acq_rel) == 1)
    left.notify_one();
}

/// Those of a thread, then what others have left.
void ThreadPool::Team::doParts(size_t thread) {
  for (int32_t part; (part = ranges[thread].takeFirst()) >= 0;)
    doPart(part);
  for (size_t i = 1; i < ranges.size(); ++i) {
    PartRange &other = ranges[(thread + i) % ranges.size()];
    for (int32_t part; (part = other.takeLast()) >= 0;)
      doPart(part);
  }
}

/// From a thread's beginning to its end.
void ThreadPool::Team::live(size_t thread) {
  for (uint32_t seen = 0;;) {
    waitWhile(round, seen);
    seen = round.load(std::memory_order_acquire);
    if (isClosed.load(std::memory_order_acquire))
      return;
    doParts(thread);
  }
}

void ThreadPool::Team::run(const Job &next) {
  job = next;
  left.store(static_cast<uint32_t>(job.parts), std::memory_order_relaxed);
  auto threads = static_cast<int32_t>(ranges.size());
  for (int32_t i = 0; i < threads; ++i)
    ranges[static_cast<size_t>(i)].set(job.parts * i / threads,
                                       job.parts * (i + 1) / threads);
  if (job.parts > 1) {
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
  }
  doParts(0);
  while (uint32_t rest = left.load(std::memory_order_acquire))
    waitWhile(left, rest);
}

void ThreadPool::Team::close() {
  isClosed.store(true, std::memory_order_release);
  round.fetch_add(1, std::memory_order_release);
  round.notify_all();
  for (pthread_t thread : started)
    pthread_join(thread, nullptr);
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

ThreadPool::ThreadPool(std::unique_ptr<Team> team) : team(std::move(team)) {}

void ThreadPool::begin(Beginning &given) {
  given.pool->team->live(given.thread);
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int32_t threads) {
  std::unique_ptr<ThreadPool> pool(
      new ThreadPool(std::make_unique<Team>(std::max(threads, 1))));
  Team &team = *pool->team;
  auto main = [](void *given) -> void * {
    std::unique_ptr<Beginning> own(static_cast<Beginning *>(given));
    begin(*own);
    return nullptr;
  };
  for (size_t thread = 1; thread < team.ranges.size(); ++thread) {
    auto given = std::make_unique<Beginning>(Beginning{pool.get(), thread});
    pthread_t started;
    if (int error = pthread_create(&started, nullptr, main, given.get())) {
      tally::Diagnostic failure;
      failure.kind = FailureKind::System;
      failure.rule = "RUN-23";
      failure.message = "the system started " + std::to_string(thread) +
                        " of " + std::to_string(threads) +
                        " threads: " + std::strerror(error);
      return failure;
    }
    (void)given.release(); // the thread's
    team.started.push_back(started);
  }
  return pool;
}

ThreadPool::~ThreadPool() { team->close(); }

int32_t ThreadPool::threads() const {
  return static_cast<int32_t>(team->ranges.size());
}

void ThreadPool::parallelFor(void *pool, int32_t mostParts, ParallelTask task,
                             void *data) {
  auto &self = *static_cast<ThreadPool *>(pool);
  int32_t threads = self.threads();
  int32_t wanted = threads == 1 ? 1 : threads * kPartsOfThread;
  self.team->run({task, data, std::min(mostParts, wanted)});
}
