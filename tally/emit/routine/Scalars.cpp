//===- Scalars.cpp - numbers, addresses and words of the context ----------===//

#include "tally/emit/routine/Scalars.h"

#include <bit>

using namespace tally;
using namespace tally::emit;
using isa::Opcode;

static bool fits(int64_t value, int bits) {
  return -(int64_t(1) << (bits - 1)) <= value && value < int64_t(1)
                                                             << (bits - 1);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// value = upper * 2^12 + lower, lower with sign:
///   0x00001fff = 0x2 * 2^12 - 1
void tally::emit::setConstant(Scope &scope, const Scratch &to, int32_t value,
                              Where where) {
  Routine &routine = scope.routine();
  if (fits(value, 12) && !routine.options().longPaths)
    return routine.instruction(Opcode::Addi, {to, Operand(), value}, where);
  uint32_t bits = static_cast<uint32_t>(value);
  uint32_t upper = (bits + 0x800) >> 12;
  int32_t lower = static_cast<int32_t>(bits - (upper << 12));
  routine.instruction(Opcode::Lui, {to, int64_t(upper & 0xfffff)}, where);
  if (lower != 0 || routine.options().longPaths)
    routine.instruction(Opcode::Addi, {to, to, lower}, where);
}

Scratch tally::emit::constant(Scope &scope, int32_t value, std::string role,
                              Where where) {
  Scratch result = scope.borrow(std::move(role), where);
  setConstant(scope, result, value, where);
  return result;
}

void tally::emit::copy(Scope &scope, const Scratch &to, Operand from,
                       Where where) {
  scope.routine().instruction(Opcode::Addi, {to, from, 0}, where);
}

void tally::emit::add(Scope &scope, const Scratch &to, Operand a, Operand b,
                      Where where) {
  scope.routine().instruction(Opcode::Add, {to, a, b}, where);
}

void tally::emit::addConstant(Scope &scope, const Scratch &to, Operand from,
                              int32_t value, Where where) {
  Routine &routine = scope.routine();
  Scratch far = scope.borrow("far addend", where);
  if (fits(value, 12) && !routine.options().longPaths) {
    routine.reserve(far, where);
    routine.instruction(Opcode::Addi, {to, from, value}, where);
    routine.hold(far);
    return;
  }
  setConstant(scope, far, value, where);
  add(scope, to, from, far, where);
}

//===----------------------------------------------------------------------===//
// Multiples
//===----------------------------------------------------------------------===//

/// Shifts and additions, one for each bit of the stride:
///   13 i = (i << 3) + (i << 2) + i
static void scaleByBits(Scope &scope, const Scratch &to, Operand index,
                        uint32_t stride, const Scratch &term, Where where) {
  Routine &routine = scope.routine();
  routine.instruction(Opcode::Addi, {to, Operand(), 0}, where);
  for (uint32_t rest = stride; rest != 0; rest &= rest - 1) {
    routine.instruction(Opcode::Slli,
                        {term, index, int64_t(std::countr_zero(rest))}, where);
    add(scope, to, to, term, where);
  }
}

void tally::emit::scale(Scope &scope, const Scratch &to, Operand index,
                        int32_t stride, Where where) {
  Routine &routine = scope.routine();
  uint32_t bits = static_cast<uint32_t>(stride);
  Scratch term = scope.borrow("term of a multiple", where);
  if (std::has_single_bit(bits) && !routine.options().longPaths) {
    routine.reserve(term, where);
    routine.instruction(Opcode::Slli,
                        {to, index, int64_t(std::countr_zero(bits))}, where);
    routine.hold(term);
    return;
  }
  if (!routine.machine().processor.hasMultiply)
    return scaleByBits(scope, to, index, bits, term, where);
  setConstant(scope, term, stride, where);
  routine.instruction(Opcode::Mul, {to, index, term}, where);
}

//===----------------------------------------------------------------------===//
// Words of the context
//===----------------------------------------------------------------------===//

ContextWord::ContextWord(Scope &scope, Operand base, int32_t offset,
                         Where where)
    : scope(scope), address(scope.borrow("address in the context", where)),
      isFar(!fits(offset, 12) || scope.routine().options().longPaths),
      base(base), offset(offset) {
  if (isFar) {
    setConstant(scope, address, offset, where);
    add(scope, address, address, base, where);
  } else {
    scope.routine().reserve(address, where);
  }
}

void ContextWord::load(const Scratch &to, Where where) const {
  Routine &routine = scope.routine();
  if (isFar)
    routine.instruction(Opcode::Lw, {to, address, 0}, where);
  else
    routine.instruction(Opcode::Lw, {to, base, offset}, where);
  holdBoth();
}

void ContextWord::store(Operand from, Where where) const {
  Routine &routine = scope.routine();
  if (isFar)
    routine.instruction(Opcode::Sw, {from, address, 0}, where);
  else
    routine.instruction(Opcode::Sw, {from, base, offset}, where);
  holdBoth();
}

/// The near form needs the base and the far one the sum; both keep both.
void ContextWord::holdBoth() const {
  scope.routine().hold(address);
  scope.routine().hold(base);
}

//===----------------------------------------------------------------------===//
// Constants that are known to be there
//===----------------------------------------------------------------------===//

Operand ConstantCache::get(int32_t value, Where where) {
  uint64_t now = scope.routine().epoch();
  auto found = entries.find(value);
  if (found != entries.end() && found->second.epoch == now)
    return found->second.scratch;
  if (found != entries.end())
    entries.erase(found);
  Scratch made =
      constant(scope, value, "constant " + std::to_string(value), where);
  return entries.emplace(value, Entry{std::move(made), now})
      .first->second.scratch;
}
