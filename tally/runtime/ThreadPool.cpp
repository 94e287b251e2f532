//===- ThreadPool.cpp - threads that run parts of steps -------------------===//
//
// Part i belongs to thread i, whose seat holds one word:
//
//     Idle -> Offered      by the caller, when the job is written
//     Offered -> Taken     by thread i, or by the caller when it is done with
//                          its own part: whoever succeeds does the part
//     Taken -> Idle        by the same, when the part is done
//
// The caller returns when no part is left, so a seat is Idle when the next job
// comes, and who took a part may read the job until it is done. A part with one
// thread finds its memory in that thread's cache.
//
// Cost: two changes of a cache line's owner per part, about a microsecond, when
// threads are awake; a call of the system when they sleep.
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
enum Seat : uint32_t { Idle, Offered, Taken, Closed };

/// Looks at a word that are made before a thread sleeps: some 50 microseconds.
constexpr int kLooks = 1200;

/// In a line of the cache of its own.
struct alignas(128) SeatOfThread {
  std::atomic<uint32_t> word = Idle;
  ThreadPool *pool = nullptr;
  pthread_t thread = {};
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
  explicit Team(int32_t threads) : seats(static_cast<size_t>(threads - 1)) {}

  /// The seat of part `part`, which is not the caller's.
  SeatOfThread &seatOf(int32_t part) {
    return seats[static_cast<size_t>(part - 1)];
  }
  bool take(SeatOfThread &seat) {
    uint32_t expected = Offered;
    return seat.word.compare_exchange_strong(expected, Taken,
                                             std::memory_order_acq_rel);
  }
  /// Does the part of a seat that was taken.
  void doPart(SeatOfThread &seat, int32_t part) {
    job.task(job.data, part, job.parts);
    seat.word.store(Idle, std::memory_order_release);
    if (left.fetch_sub(1, std::memory_order_acq_rel) == 1)
      left.notify_one();
  }
  void work(SeatOfThread &seat);
  void run(const Job &next);

  std::vector<SeatOfThread> seats;
  size_t started = 0;
  Job job;
  alignas(128) std::atomic<uint32_t> left = 0; ///< parts that are not done
};

/// A thread's life.
void ThreadPool::Team::work(SeatOfThread &seat) {
  auto part = static_cast<int32_t>(&seat - seats.data()) + 1;
  for (;;) {
    uint32_t found = seat.word.load(std::memory_order_acquire);
    if (found == Closed)
      return;
    if (found == Offered && take(seat))
      doPart(seat, part);
    else if (found != Offered)
      waitWhile(seat.word, found);
  }
}

void ThreadPool::Team::run(const Job &next) {
  job = next;
  left.store(static_cast<uint32_t>(job.parts - 1), std::memory_order_relaxed);
  for (int32_t part = 1; part < job.parts; ++part) {
    seatOf(part).word.store(Offered, std::memory_order_release);
    seatOf(part).word.notify_one();
  }
  job.task(job.data, 0, job.parts);
  for (int32_t part = 1; part < job.parts; ++part)
    if (take(seatOf(part)))
      doPart(seatOf(part), part);
  while (uint32_t rest = left.load(std::memory_order_acquire))
    waitWhile(left, rest);
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

ThreadPool::ThreadPool(std::unique_ptr<Team> team) : team(std::move(team)) {}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int32_t threads) {
  std::unique_ptr<ThreadPool> pool(
      new ThreadPool(std::make_unique<Team>(std::max(threads, 1))));
  Team &team = *pool->team;
  auto begin = [](void *given) -> void * {
    auto &seat = *static_cast<SeatOfThread *>(given);
    seat.pool->team->work(seat);
    return nullptr;
  };
  for (SeatOfThread &seat : team.seats) {
    seat.pool = pool.get();
    if (int error = pthread_create(&seat.thread, nullptr, begin, &seat)) {
      tally::Diagnostic failure;
      failure.kind = FailureKind::System;
      failure.rule = "RUN-23";
      failure.message =
          "the system started " + std::to_string(team.started + 1) + " of " +
          std::to_string(threads) + " threads: " + std::strerror(error);
      return failure;
    }
    ++team.started;
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  for (SeatOfThread &seat : team->seats) {
    seat.word.store(Closed, std::memory_order_release);
    seat.word.notify_one();
  }
  for (size_t i = 0; i < team->started; ++i)
    pthread_join(team->seats[i].thread, nullptr);
}

int32_t ThreadPool::threads() const {
  return static_cast<int32_t>(team->seats.size()) + 1;
}

void ThreadPool::parallelFor(void *pool, int32_t mostParts, ParallelTask task,
                             void *data) {
  auto &self = *static_cast<ThreadPool *>(pool);
  self.team->run({task, data, std::min(mostParts, self.threads())});
}
