//===- Scalars.h - numbers, addresses and words of the context --*- C++ -*-===//
//
// Helpers with a longer form for large numbers reserve what that form takes, so
// that a program that finds registers for small numbers finds them for all.
// Results are written last: they may be operands, too.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_SCALARS_H
#define TALLY_EMIT_ROUTINE_SCALARS_H

#include "tally/emit/routine/Routine.h"

#include <map>

namespace tally::emit {

/// to = value. One or two instructions, no temporary.
void setConstant(Scope &scope, const Scratch &to, int32_t value,
                 Where where = Where::current());

/// A register with `value`.
Scratch constant(Scope &scope, int32_t value, std::string role,
                 Where where = Where::current());

/// to = from.
void copy(Scope &scope, const Scratch &to, Operand from,
          Where where = Where::current());

/// to = a + b.
void add(Scope &scope, const Scratch &to, Operand a, Operand b,
         Where where = Where::current());

/// to = from + value. Beyond 12 bits by a temporary.
void addConstant(Scope &scope, const Scratch &to, Operand from, int32_t value,
                 Where where = Where::current());

/// to = index * stride, modulo 2^32: a shift, or a multiplication where the
/// machine has one, or shifts and additions. Needs a temporary unless the
/// stride is a power of two. `to` is not `index`.
void scale(Scope &scope, const Scratch &to, Operand index, int32_t stride,
           Where where = Where::current());

/// The 4 bytes at base + offset of the context. Beyond 12 bits the sum lives in
/// a register of the word itself.
class ContextWord {
public:
  ContextWord(Scope &scope, Operand base, int32_t offset,
              Where where = Where::current());

  void load(const Scratch &to, Where where = Where::current()) const;
  void store(Operand from, Where where = Where::current()) const;

private:
  void holdBoth() const;

  Scope &scope;
  Scratch address; ///< reserved in either case
  bool isFar = false;
  Operand base;
  int32_t offset = 0;
};

/// Registers that hold constants, for as long as nothing can have changed that:
/// behind the head or end of a loop or branch they are made again.
class ConstantCache {
public:
  explicit ConstantCache(Scope &scope) : scope(scope) {}

  /// Valid until the next call.
  Operand get(int32_t value, Where where = Where::current());

private:
  struct Entry {
    Scratch scratch;
    uint64_t epoch;
  };
  Scope &scope;
  std::map<int32_t, Entry> entries;
};

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_SCALARS_H
