//===- Buffers.h - the memory that a call is given --------------*- C++ -*-===//
//
// Rules (all Usage):
//   RUN-17  a buffer begins at a multiple of its element's size
//   RUN-18  memory that a call writes is nobody else's: an output is not
//           passed twice, and overlaps no other output, no input, and neither
//           the arena nor the states of the context; nor do inputs these two
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_BUFFERS_H
#define TALLY_RUNTIME_BUFFERS_H

#include "tally/runtime/Interface.h"

namespace tally::runtime {

/// Checks the buffers of one call after another. Inputs may overlap inputs.
class BufferCheck {
public:
  /// `interface` outlives it.
  explicit BufferCheck(const Interface &interface);

  /// Memory of the context itself, `what` in messages; nothing when empty.
  void reserve(const char *what, const void *begin, int64_t bytes);

  /// RUN-17, RUN-18; one pointer per tensor. Allocates nothing unless it fails.
  Status check(const void *const *inputs, void *const *outputs);

private:
  struct Range {
    uintptr_t begin, end; ///< half open
    bool isWritten;
    const char *what;
    const TensorInterface *tensor; ///< null: the context's own
    std::string str() const;
  };
  Status checkOverlaps();
  static Status overlap(const Range &a, const Range &b);
  Status add(const TensorInterface &tensor, const void *begin, bool isWritten);

  const Interface &interface;
  std::vector<Range> own, ranges;
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_BUFFERS_H
