//===- Rows.cpp - elements of a memory, a row at a time -------------------===//

#include "tally/run/simulator/kernels/Rows.h"
#include "tally/run/simulator/kernels/Half.h"

#include <cassert>
#include <cstring>

using namespace tally;
using namespace tally::simulator;
using isa::MatrixField;
using isa::VectorField;
using machine::ElementType;
using machine::EngineKind;

//===----------------------------------------------------------------------===//
// Elements by type
//===----------------------------------------------------------------------===//

std::pair<int64_t, int64_t> tally::simulator::rangeOf(ElementType type) {
  int64_t bits = 8 * machine::elementBytes(type);
  if (type == ElementType::U8 || type == ElementType::U16)
    return {0, (int64_t(1) << bits) - 1};
  auto high = int64_t((uint64_t(1) << (bits - 1)) - 1);
  return {-high - 1, high};
}

namespace {
/// A binary16 number; its bits.
struct Half {
  uint16_t bits;
};
} // namespace

template <class Fn> static void visit(ElementType type, Fn &&fn) {
  switch (type) {
  case ElementType::I8:
    return fn(int8_t());
  case ElementType::U8:
    return fn(uint8_t());
  case ElementType::I16:
    return fn(int16_t());
  case ElementType::U16:
    return fn(uint16_t());
  case ElementType::I32:
    return fn(int32_t());
  case ElementType::I64:
    return fn(int64_t());
  case ElementType::F16:
    return fn(Half());
  case ElementType::F32:
    return fn(float());
  }
}

template <class To, class From> static To as(From value) {
  if constexpr (std::is_same_v<From, Half>)
    return To(floatOfHalf(value.bits));
  else
    return To(value);
}

/// The low bits of an integer, or a float itself.
template <class To, class From> static To lowBits(From value) {
  if constexpr (std::is_same_v<To, Half>)
    return Half{uint16_t(value)};
  else
    return To(value);
}

/// Calls body(bytes of element i, i) for all elements of a row.
template <class Access, class Body>
static void forEach(const Row &row, int64_t bytes, size_t count, Access access,
                    Body body) {
  if (row.stride == bytes) {
    auto *at = access(row.offset, bytes * int64_t(count));
    for (size_t i = 0; i < count; ++i)
      body(at + size_t(bytes) * i, i);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    body(access(row.offset + int64_t(i) * row.stride, bytes), i);
}

template <class To>
static void loadAs(Memory &memory, const Row &row, std::span<To> values) {
  if (values.empty())
    return;
  visit(row.type, [&](auto zero) {
    using From = decltype(zero);
    auto access = [&](int64_t offset, int64_t count) {
      return memory.read(row.space, offset, count, sizeof(From));
    };
    forEach(row, sizeof(From), values.size(), access,
            [&](const uint8_t *at, size_t i) {
              From element;
              std::memcpy(&element, at, sizeof(From));
              values[i] = as<To>(element);
            });
  });
}

template <class From>
static void storeFrom(Memory &memory, const Row &row,
                      std::span<const From> values) {
  if (values.empty())
    return;
  visit(row.type, [&](auto zero) {
    using To = decltype(zero);
    auto access = [&](int64_t offset, int64_t count) {
      return memory.write(row.space, offset, count, sizeof(To));
    };
    forEach(row, sizeof(To), values.size(), access, [&](uint8_t *at, size_t i) {
      To element = lowBits<To>(values[i]);
      std::memcpy(at, &element, sizeof(To));
    });
  });
}

void tally::simulator::load(Memory &memory, const Row &row,
                            std::span<int64_t> values) {
  assert(row.type != ElementType::F16 && row.type != ElementType::F32);
  loadAs(memory, row, values);
}
void tally::simulator::store(Memory &memory, const Row &row,
                             std::span<const int64_t> values) {
  assert(row.type != ElementType::F32);
  storeFrom(memory, row, values);
}
void tally::simulator::load(Memory &memory, const Row &row,
                            std::span<float> values) {
  assert(row.type == ElementType::F32);
  loadAs(memory, row, values);
}
void tally::simulator::store(Memory &memory, const Row &row,
                             std::span<const float> values) {
  assert(row.type == ElementType::F32);
  storeFrom(memory, row, values);
}
void tally::simulator::load(Memory &memory, const Row &row,
                            std::span<double> values) {
  loadAs(memory, row, values);
}

void tally::simulator::move(Memory &memory, const Row &from, const Row &to,
                            int64_t bytes, int64_t count) {
  if (count > 0 && from.stride == bytes && to.stride == bytes) {
    const uint8_t *source = memory.read(from.space, from.offset, bytes * count);
    std::memmove(memory.write(to.space, to.offset, bytes * count), source,
                 size_t(bytes * count));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t *source =
        memory.read(from.space, from.offset + i * from.stride, bytes);
    std::memmove(memory.write(to.space, to.offset + i * to.stride, bytes),
                 source, size_t(bytes));
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The operand whose first field is `space`: the seven of TALLY_TENSOR.
static Tensor tensorAt(const isa::Command &command, VectorField space) {
  auto field = [&](uint32_t place) {
    return command.config.get(uint32_t(space) + place);
  };
  return {field(0),
          field(1),
          {field(2), field(3), field(4), field(5)},
          ElementType(field(6))};
}
static_assert(uint32_t(VectorField::AStride3) ==
                  uint32_t(VectorField::ASpace) + 5 &&
              uint32_t(VectorField::AType) ==
                  uint32_t(VectorField::ASpace) + 6);

VectorOperands::VectorOperands(const isa::Command &command)
    : a(tensorAt(command, VectorField::ASpace)),
      b(tensorAt(command, VectorField::BSpace)),
      c(tensorAt(command, VectorField::CSpace)),
      out(tensorAt(command, VectorField::OutSpace)),
      sizes{command.get(VectorField::Size0), command.get(VectorField::Size1),
            command.get(VectorField::Size2), command.get(VectorField::Size3)},
      channelDim(command.get(VectorField::Channel)) {
  a.offset += command.firstAddend;
  out.offset += command.resultAddend;
}

std::span<const uint8_t>
tally::simulator::readParameters(const isa::Command &command, Memory &memory) {
  bool isMatrix = command.config.kind() == EngineKind::Matrix;
  auto get = [&](MatrixField matrix, VectorField vector) {
    return isMatrix ? command.get(matrix) : command.get(vector);
  };
  int64_t bytes = get(MatrixField::ParamsBytes, VectorField::ParamsBytes);
  const uint8_t *data = memory.read(
      get(MatrixField::ParamsSpace, VectorField::ParamsSpace),
      get(MatrixField::ParamsOffset, VectorField::ParamsOffset), bytes);
  return {data, size_t(bytes)};
}

KernelFault tally::simulator::readAnyBlock(const isa::Command &command,
                                           Memory &memory,
                                           const machine::Machine &machine,
                                           isa::ParameterBlock &block) {
  auto decoded = isa::decodeParameters(readParameters(command, memory));
  if (!memory.isGood())
    return std::nullopt;
  if (!decoded)
    return decoded.error().message + " (" + decoded.error().rule + ")";
  if (Status status = isa::checkWidths(*decoded, machine); !status)
    return status.error().message + " (" + status.error().rule + ")";
  block = std::move(*decoded);
  return std::nullopt;
}
