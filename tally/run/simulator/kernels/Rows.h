//===- Rows.h - elements of a memory, a row at a time -----------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_KERNELS_ROWS_H
#define TALLY_RUN_SIMULATOR_KERNELS_ROWS_H

#include "tally/emit/isa/Parameters.h"
#include "tally/run/simulator/kernels/Kernels.h"

#include <array>
#include <cstdint>
#include <span>

namespace tally::simulator {

/// Least and greatest number of an integer type.
std::pair<int64_t, int64_t> rangeOf(machine::ElementType type);

/// Elements at `offset`, `offset + stride`, ... of a space.
struct Row {
  int64_t space = 0, offset = 0, stride = 0;
  machine::ElementType type = machine::ElementType::I8;
};

/// Integers of any width as 64-bit values; storing keeps the low bits.
void load(Memory &memory, const Row &row, std::span<int64_t> values);
void store(Memory &memory, const Row &row, std::span<const int64_t> values);
/// f32 elements.
void load(Memory &memory, const Row &row, std::span<float> values);
void store(Memory &memory, const Row &row, std::span<const float> values);
/// Any element as the nearest f64, exact but for large 64-bit integers.
void load(Memory &memory, const Row &row, std::span<double> values);

/// Moves `count` elements of `bytes` bytes from one row to another.
void move(Memory &memory, const Row &from, const Row &to, int64_t bytes,
          int64_t count);

/// An operand of a vector command: element i is at
/// offset + i0 strides[0] + i1 strides[1] + i2 strides[2] + i3 strides[3].
struct Tensor {
  int64_t space = 0, offset = 0;
  std::array<int64_t, 4> strides{};
  machine::ElementType type = machine::ElementType::I8;

  /// The row along dimension 3.
  Row row(int64_t i0, int64_t i1, int64_t i2) const {
    return {space, offset + i0 * strides[0] + i1 * strides[1] + i2 * strides[2],
            strides[3], type};
  }
};

/// The operands and sizes of a vector command.
struct VectorOperands {
  explicit VectorOperands(const isa::Command &command);

  Tensor a, b, c, out;
  std::array<int64_t, 4> sizes;
  int64_t channelDim;

  /// The channel of element (i0, i1, i2, 0), and by how much it grows with i3.
  int64_t channel(int64_t i0, int64_t i1, int64_t i2) const {
    return channelDim == 0   ? i0
           : channelDim == 1 ? i1
           : channelDim == 2 ? i2
                             : 0;
  }
  int64_t channelStep() const { return channelDim == 3; }
  int64_t rowLength() const { return sizes[3]; }

  /// Calls body(i0, i1, i2) for every row, until `memory` has a fault.
  template <class Body> void forEachRow(const Memory &memory, Body body) const {
    for (int64_t i0 = 0; i0 < sizes[0] && memory.isGood(); ++i0)
      for (int64_t i1 = 0; i1 < sizes[1] && memory.isGood(); ++i1)
        for (int64_t i2 = 0; i2 < sizes[2] && memory.isGood(); ++i2)
          body(i0, i1, i2);
  }
};

/// Any block of Parameters.h, for readBlock.
KernelFault readAnyBlock(const isa::Command &command, Memory &memory,
                         const machine::Machine &machine,
                         isa::ParameterBlock &block);

/// The bytes that the command's `params` name.
std::span<const uint8_t> readParameters(const isa::Command &command,
                                        Memory &memory);

/// The block of a kind that params holds. A fault: it is none, or the machine's
/// requantize units are too narrow for it. When the bytes cannot be read, that
/// is the memory's fault, and the block stays as it is.
template <class Block>
KernelFault readBlock(const isa::Command &command, Memory &memory,
                      const machine::Machine &machine, Block &block) {
  isa::ParameterBlock any;
  KernelFault fault = readAnyBlock(command, memory, machine, any);
  if (fault || !memory.isGood())
    return fault;
  Block *found = std::get_if<Block>(&any);
  if (!found)
    return "params holds a block of another kind than the command reads";
  block = std::move(*found);
  return std::nullopt;
}

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_KERNELS_ROWS_H
