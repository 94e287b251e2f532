//===- Grow.h - caches that get rows in each call ---------------*- C++ -*-===//
//
// A decoder in ONNX returns its cache with rows added and wants it back:
// `present` is `past` and what the step made, one row longer each time. Here a
// cache has a fixed capacity, and a number of its own says how many rows of it
// are there. `growCaches` makes of the graph for the largest number of rows one
// that gives, whatever that number is, what the model gives for it:
//
//   Append  `past` is as large as `present`; a call writes its rows behind the
//           ones that are there. When it would not find room, it is refused.
//   Slide   `past` holds the last rows; a call drops as many as it adds. As
//   long
//           as there are fewer, those in front do not count.
//
// What takes rows together (a softmax, a product, a sum) is made to pass over
// rows that are not there.
//
// Rules:
//   GROW-4  the output of a pair has more rows than its input along one
//           dimension, as many for each pair (Usage)
//   GROW-5  the output is the input with rows behind it, along that dimension;
//           nothing else reads the input (Unsupported)
//   GROW-6  what takes rows together has a meaning without some of them
//           (Unsupported)
// and those of Grown.h.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_STATE_GROW_H
#define TALLY_REWRITE_STATE_GROW_H

#include "tally/rewrite/state/Declare.h"
#include "tally/rewrite/state/Grown.h"

namespace tally::rewrite {

enum class Growth { Append, Slide };

/// How many rows the caches of a module hold: its own input and output, which
/// `growCaches` adds, an i64 of one element each.
struct RowCount {
  StatePair pair;
  int64_t most = 0; ///< with which a call may begin
};

/// The dimension along which the output of `pair` is longer. GROW-4, STATE-5.
Result<int64_t> grownAxis(mlir::func::FuncOp function, const StatePair &pair);

/// Changes function `main` of `module`; the input of each pair gets the type of
/// the state. `less` and `least` are the module with one and two rows fewer,
/// and `few` with `fewer`.
/// On failure the module is not to be used any more.
Result<RowCount> growCaches(mlir::ModuleOp module, mlir::ModuleOp less,
                            mlir::ModuleOp least, mlir::ModuleOp few,
                            int64_t fewer, const std::vector<StatePair> &pairs,
                            Growth growth);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_STATE_GROW_H
