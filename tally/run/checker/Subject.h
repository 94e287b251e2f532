//===- Subject.h - what is checked ------------------------------*- C++ -*-===//
//
// A decoded program with what it claims about its memory. Nothing here comes
// from the compiler but through the program file.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_SUBJECT_H
#define TALLY_RUN_CHECKER_SUBJECT_H

#include "tally/emit/program/Program.h"

#include <map>
#include <string>
#include <vector>

namespace tally::checker {

enum class RegionRole : uint8_t {
  Constants, ///< initialised, read only
  Arena,     ///< undefined at the start
  Context,   ///< initialised; the processor can address it
  Input,     ///< initialised, read only; a state's old value too
  Output,    ///< undefined at the start, written whole, once
  State,     ///< initialised, written whole, once, read only before that
  Ring,      ///< a state's memory that one call sees: see Frames
  Append,    ///< initialised; some of it is written, once: see Rows
};

/// Whether every byte is written by one command of each call.
inline bool isWrittenOnce(RegionRole role) {
  return role == RegionRole::Output || role == RegionRole::State ||
         role == RegionRole::Ring || role == RegionRole::Append;
}

/// Frames in a region of role Ring, `pitch` bytes from one to the next. The
/// first `old` are a state's old value, which is initialised and stays; those
/// behind them are written, all of their bytes and once. With `down` those that
/// are written come first.
struct Frames {
  int64_t bytes = 0, pitch = 0;
  int64_t old = 0, entering = 0;
  bool down = false;
};

/// Rows in a region of role Append: in each of `runs` runs, `pitch` bytes from
/// one to the next, the `bytes` bytes from `step` times a run-time scalar on
/// are written, all of them and once. All others stay.
struct Rows {
  size_t scalar = 0; ///< its place in Subject::scalars
  int64_t runs = 1, pitch = 0, step = 0, bytes = 0;
};

/// A buffer of global memory, bound per call. Its place in Subject::regions is
/// its number as a space (isa/Config.h). Regions do not overlap.
struct Region {
  std::string name;
  RegionRole role = RegionRole::Arena;
  int64_t bytes = 0;
  int64_t alignment = 1; ///< of its base, in bytes
  int64_t moves = 0;     ///< bytes that its base moves by from call to call
  Frames frames;         ///< of role Ring
  Rows rows;             ///< of role Append
};

/// A word of the context that the caller sets: any value of [least, greatest].
struct Scalar {
  std::string name;
  int64_t offset = 0; ///< in the context, a multiple of 4
  int64_t least = 0, greatest = 0;
};

/// A named part of a memory or region, for messages.
struct Symbol {
  std::string name;
  int64_t space = 0;
  int64_t offset = 0, bytes = 0;
};

struct Subject {
  machine::Machine machine;
  std::vector<isa::Instruction> text;
  std::vector<Region> regions;
  /// What region kConstantsRegion holds. Bytes beyond the end are unknown.
  std::vector<uint8_t> constants;
  std::vector<Scalar> scalars;
  std::vector<Symbol> symbols;
  /// Where instructions come from: node of the network, "file.s:12". An entry
  /// holds from its key, a place in `text`, to the next.
  std::map<uint32_t, std::string> nodes, lines;
};

/// "sram", "accumulators" or "region 'x'"; the space exists.
std::string spaceName(const Subject &subject, int64_t space);

/// A program on a machine that meets its requirements: PROG-3, PROG-4, PROG-5.
Result<Subject> subjectOf(const isa::Program &program,
                          const machine::Machine &machine);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_SUBJECT_H
