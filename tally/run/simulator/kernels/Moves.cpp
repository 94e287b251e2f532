//===- Moves.cpp - vector commands that only move bits --------------------===//

#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"

#include <cstring>

using namespace tally;
using namespace tally::simulator;

static void copy(const VectorOperands &v, int64_t bytes, Memory &memory) {
  v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
    move(memory, v.a.row(i0, i1, i2), v.out.row(i0, i1, i2), bytes,
         v.rowLength());
  });
}

/// The condition's bytes choose between elements of two rows.
static void select(const VectorOperands &v, int64_t bytes, Memory &memory) {
  v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
    Row condition = v.a.row(i0, i1, i2), yes = v.b.row(i0, i1, i2),
        no = v.c.row(i0, i1, i2), out = v.out.row(i0, i1, i2);
    for (int64_t i = 0; i < v.rowLength(); ++i) {
      auto read = [&](const Row &row, int64_t count) {
        return memory.read(row.space, row.offset + i * row.stride, count);
      };
      bool isYes = *read(condition, 1) != 0;
      const uint8_t *first = read(yes, bytes), *other = read(no, bytes);
      std::memmove(memory.write(out.space, out.offset + i * out.stride, bytes),
                   isYes ? first : other, size_t(bytes));
    }
  });
}

KernelFault tally::simulator::runMoves(const isa::Command &command,
                                       Memory &memory,
                                       const machine::Machine &machine) {
  VectorOperands operands(command);
  int64_t bytes = machine::elementBytes(operands.out.type);
  if (command.code == isa::CommandCode::VectorSelect)
    select(operands, bytes, memory);
  else
    copy(operands, bytes, memory);
  return std::nullopt;
}
