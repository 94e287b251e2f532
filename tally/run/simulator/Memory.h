//===- Memory.h - what a program can address --------------------*- C++ -*-===//
//
// The regions of global memory, the SRAM and the accumulators, each with a
// shadow of one bit for each byte: whether it was written. Commands reach
// memory through `read` and `write` alone, one run of neighbouring bytes at a
// time, so what these see is what is touched.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_MEMORY_H
#define TALLY_RUN_SIMULATOR_MEMORY_H

#include "tally/run/simulator/ByteSet.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tally::simulator {

/// What a read or write can do wrong.
enum class AccessError : uint8_t { Unmapped, Misaligned, Unwritten, ReadOnly };

/// The first wrong access of a command.
struct AccessFault {
  AccessError error;
  int64_t space = 0;
  int64_t begin = 0, end = 0; ///< the bytes that were asked for
  int64_t first = 0;          ///< the first of them that is at fault
};

/// The bytes that one command touched, by space.
struct Touched {
  std::map<int64_t, ByteRuns> read, written;
};

/// One memory or region.
struct Space {
  std::string name;         ///< "sram", "arena", "input 'x'"
  std::span<uint8_t> bytes; ///< the host's memory that stands for it
  bool isMapped = false;
  bool isWritable = true;
  std::optional<ByteSet> written; ///< none: every byte is initialised
};

class Memory {
public:
  static constexpr size_t kSpaces = 66;

  Space &space(int64_t number) { return spaces[size_t(number)]; }
  const Space &space(int64_t number) const { return spaces[size_t(number)]; }

  /// Bytes [offset, offset + count) of a space, of elements of `alignment`
  /// bytes. A wrong access is kept as `fault()`, and what is returned is then
  /// scratch, so that a command need not look after each run.
  const uint8_t *read(int64_t number, int64_t offset, int64_t count,
                      int64_t alignment = 1);
  /// Likewise; the bytes count as written. They keep their contents until they
  /// are assigned.
  uint8_t *write(int64_t number, int64_t offset, int64_t count,
                 int64_t alignment = 1);

  /// Work space: the bytes are touched as by a write, and nobody may read what
  /// is left in them.
  void spoil(int64_t number, int64_t offset, int64_t count,
             int64_t alignment = 1);

  bool isGood() const { return !firstFault; }
  const std::optional<AccessFault> &fault() const { return firstFault; }
  /// Forgets the fault and what was written; for the next call.
  void reset();
  /// Where reads and writes are noted from now on; null: nowhere.
  void record(Touched *touched) { recorded = touched; }

private:
  /// Whether the access is good; notes the fault if it is not.
  bool admit(Space &space, int64_t number, int64_t offset, int64_t count,
             int64_t alignment, bool isWrite);
  uint8_t *scratchOf(int64_t count);
  void fail(AccessError error, int64_t number, int64_t offset, int64_t count,
            int64_t first);

  std::array<Space, kSpaces> spaces;
  std::optional<AccessFault> firstFault;
  std::vector<std::vector<uint8_t>> scratch; ///< after the first fault
  Touched *recorded = nullptr;
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_MEMORY_H
