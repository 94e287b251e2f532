//===- ProductSchedule.h - in which order a product is computed -*- C++ -*-===//
//
// A product of bytes, `rows` x `columns` sums, can be walked in many orders
// that give the same bits, since sums wrap in 32 bits. A schedule is one of
// them. Its loops, the outer ones first:
//
//     for each block of `rowBlock` rows
//       for each block of 16 * `vectors` columns         (copied if `copies`)
//         for each block of `stepBlock` steps            (sums wait in memory)
//           for each tile of `rows` rows                 (sums in registers)
//             for each step
//
// A step is a word of four terms. With `prefetches`, a share of the next
// block's columns is asked for before each tile, so that they are near when
// their turn comes. With `copies` the bytes of columns and rows are widened
// before they are multiplied; then blocks of columns come first, and a tile has
// a part of one.
//
// A schedule that transforms makes a 3x3 convolution by squares of 4 x 4
// results, in a quarter of the products. Its rows are squares, and a step is
// four channels.
//
// All that can be chosen for a product is in candidatesOf; costOf guesses what
// each takes. A product that nobody has measured has the cheapest one; a
// measurement (driver/tune) may prefer another.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_PRODUCTSCHEDULE_H
#define TALLY_CPU_PRODUCTSCHEDULE_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tally::cpu {

enum class Tier;

/// Raised when kernels change so much that older measurements say nothing.
inline constexpr int64_t kScheduleGeneration = 3;

/// A product, as far as its schedule depends on it. All numbers but the last
/// two are at least 1.
struct ProductTask {
  enum class Kind {
    Dots, ///< in vectors (kernels/DotProduct.h)
    Tiles ///< in tiles (kernels/TileProduct.h)
  };
  Tier tier = {};
  Kind kind = Kind::Dots;
  int64_t rows = 1, columns = 1, steps = 1;
  int64_t pitch = 1;      ///< from a row to the next, in bytes
  bool isStraight = true; ///< the steps of a row follow one another
  int64_t piece = 1;      ///< blocks of steps are whole pieces
  /// Of a 3x3 convolution that may be made by squares of 4 x 4 results
  /// (kernels/Winograd.h), how many, and of how many channels; else 0.
  int64_t squares = 0, channels = 0;

  auto operator<=>(const ProductTask &) const = default;
};

/// "dots", "tiles".
const char *nameOf(ProductTask::Kind kind);

/// "dots 49 x 512 x 1152", with the pitch where rows do not follow one another.
std::string textOf(const ProductTask &task);

struct ProductSchedule {
  int64_t rows = 1, vectors = 1; ///< of the sums in registers, or copied
  int64_t rowBlock = 1;          ///< all rows, or whole tiles
  int64_t stepBlock = 1;         ///< at most all steps
  bool copies = false;
  bool prefetches = false;
  bool transforms = false;

  auto operator<=>(const ProductSchedule &) const = default;
};

/// "6x1", and what is not as usual: "6x1, 48 rows at a time, 128 steps at a
/// time, copied, prefetched".
std::string textOf(const ProductTask &task, const ProductSchedule &schedule);

/// All schedules that code can be made for; at least one, without repetition.
std::vector<ProductSchedule> candidatesOf(const ProductTask &task);

/// What a schedule is guessed to take, in half cycles.
int64_t costOf(const ProductTask &task, const ProductSchedule &schedule);

/// The first of the cheapest candidates.
ProductSchedule cheapestOf(const ProductTask &task);

/// A schedule and why it was chosen.
struct ChosenSchedule {
  enum class Source { Model, Cache, Measured };
  ProductSchedule schedule;
  Source source = Source::Model;
  /// Measured in one program beside another: seconds of all kernels with this
  /// product, with the schedule and with the cheapest one; 0 when unknown.
  double seconds = 0, cheapestSeconds = 0;
};
/// "model", "cache", "measured".
const char *nameOf(ChosenSchedule::Source source);

/// Choices that differ from what the cost alone would give, or confirm it.
using ProductSchedules = std::map<ProductTask, ChosenSchedule>;

/// A product in a kernel of a compiled graph.
struct ScheduledProduct {
  size_t stage = 0; ///< index of runtime::Interface::stages
  ProductTask task;
  ChosenSchedule chosen;
};

} // namespace tally::cpu

#endif // TALLY_CPU_PRODUCTSCHEDULE_H
