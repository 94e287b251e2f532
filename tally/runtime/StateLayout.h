//===- StateLayout.h - the block that holds a context's states --*- C++ -*-===//
//
// All that a context keeps from call to call is one aligned block, whose
// layout follows from the interface alone:
//
//   0   magic            8 bytes, "TALLYST1"
//   8   hash             8 bytes, Interface::stateHash
//   16  zero             up to byte 64
//   64  entries          8 bytes each: the number of the slot it names
//       cursors          8 bytes per state: where in its slot the value begins;
//                        of a ring whose newest comes first, at the end
//       values           8 bytes per state: 1 when the state has a value, 2
//                        from when a call begins that overwrites the value to
//                        when it succeeds, 0 otherwise
//       slots            from a multiple of 64 each, slotBytes long
//
// Numbers are little-endian. The block may be copied while no call runs. To
// keep values for other programs, save them by name instead: entries, cursors
// and slots are this program's own.
//
// StateBlock works on such a block in memory of the caller's.
//
// Rules:
//   RUN-15  a state without an initial value has been given one before the
//           first call (Usage)
//   RUN-16  a state that a failed call may have overwritten is reset, set or
//           restored before it is used again (Usage)
//   RUN-24  a call begins with numbers that leave room for its own (Usage)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_STATELAYOUT_H
#define TALLY_RUNTIME_STATELAYOUT_H

#include "tally/runtime/Interface.h"

namespace tally::runtime {

/// Of the block and of every slot, in bytes.
inline constexpr int64_t kStateAlignment = 64;

/// Offsets from the beginning of the block, and its size.
struct StateLayout {
  int64_t entries = 64, cursors = 0, values = 0;
  std::vector<int64_t> slots;
  int64_t bytes = 0; ///< a multiple of kStateAlignment; 0 without states
};
StateLayout stateLayout(const Interface &interface);

/// From the beginning of a state's value to its end, rows and all.
int64_t spanOf(const StateInterface &state);
/// The cursor of a value that was set.
int64_t homeOf(const Interface &interface, const StateInterface &state);

/// A block and how to use it; both outlive this view, as does the interface.
class StateBlock {
public:
  StateBlock(const Interface &interface, void *block)
      : about(interface), layout(stateLayout(interface)),
        base(static_cast<std::byte *>(block)),
        before(interface.slotBytes.size()) {}

  /// Makes every state what it is before the first call, whatever the block
  /// held.
  void reset();
  /// The same for one state; the others stay.
  void reset(size_t state);

  /// RUN-15, RUN-16: of one state, and of all.
  Status checkValue(size_t state) const;
  Status checkValues() const;
  /// Whether a call can begin with the numbers that have a largest value, by
  /// the name of the first that it cannot begin with. RUN-15, RUN-16, RUN-24.
  Status checkNumbers() const;

  /// Copies the value of a state that has one, dense, and another in its place.
  void readValue(size_t state, void *bytes) const;
  void setValue(size_t state, const void *bytes);

  /// What SYMBOL_run gets for a state: old value, and memory for the new one.
  const void *oldValue(size_t state) const;
  void *newValue(size_t state) const;

  /// Bytes from the beginning of a state's slot to its value.
  int64_t cursor(size_t state) const;

  /// A call begins: until it commits, states that it may overwrite have no
  /// value to be used. After one that succeeded: new values become the states'.
  void begin();
  void commit();
  /// After one that was refused before it wrote anything.
  void cancel();

private:
  uint64_t *words(int64_t offset) const {
    return reinterpret_cast<uint64_t *>(base + offset);
  }
  std::byte *slotOf(int64_t entry) const;
  std::byte *row(size_t state, int64_t index) const;
  void rewind(size_t state);

  const Interface &about;
  StateLayout layout;
  std::byte *base;
  std::vector<uint64_t> before; ///< entries during a commit
};

} // namespace tally::runtime

#endif // TALLY_RUNTIME_STATELAYOUT_H
