//===- Formats.cpp - operands of each format and their bits ---------------===//
//
// The scattered immediates are those of RV32I; the custom formats keep scalar
// registers where RISC-V has them.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Instruction.h"

#include <initializer_list>

using namespace tally::isa;

namespace {

constexpr OperandInfo operand(OperandKind kind, std::string_view name,
                              bool isSigned, uint8_t bits, uint8_t zeroBits,
                              std::initializer_list<BitSlice> slices) {
  OperandInfo info{kind, name, isSigned, bits, zeroBits, {}, 0};
  for (BitSlice slice : slices)
    info.slices[info.sliceCount++] = slice;
  return info;
}

constexpr OperandInfo number(std::string_view name, bool isSigned, uint8_t bits,
                             std::initializer_list<BitSlice> slices) {
  return operand(OperandKind::Immediate, name, isSigned, bits, 0, slices);
}

using enum OperandKind;
constexpr OperandInfo rd = operand(Rd, "rd", false, 5, 0, {{0, 7, 5}});
constexpr OperandInfo rs1 = operand(Rs1, "rs1", false, 5, 0, {{0, 15, 5}});
constexpr OperandInfo rs2 = operand(Rs2, "rs2", false, 5, 0, {{0, 20, 5}});
constexpr OperandInfo queue = operand(Queue, "queue", false, 4, 0, {{0, 7, 4}});
constexpr OperandInfo sync = operand(Sync, "sync", false, 7, 0, {{0, 20, 7}});
constexpr OperandInfo count =
    number("imm", false, 10, {{0, 15, 5}, {5, 27, 5}});

constexpr OperandInfo upper[] = {rd, number("imm", false, 20, {{0, 12, 20}})};
constexpr OperandInfo immediate[] = {rd, rs1,
                                     number("imm", true, 12, {{0, 20, 12}})};
constexpr OperandInfo shift[] = {rd, rs1,
                                 number("shamt", false, 5, {{0, 20, 5}})};
constexpr OperandInfo registers[] = {rd, rs1, rs2};
constexpr OperandInfo store[] = {
    rs2, rs1, number("imm", true, 12, {{0, 7, 5}, {5, 25, 7}})};
constexpr OperandInfo branch[] = {
    rs1, rs2,
    operand(Offset, "offset", true, 13, 1,
            {{1, 8, 4}, {5, 25, 6}, {11, 7, 1}, {12, 31, 1}})};
constexpr OperandInfo jump[] = {
    rd, operand(Offset, "offset", true, 21, 1,
                {{1, 21, 10}, {11, 20, 1}, {12, 12, 8}, {20, 31, 1}})};
constexpr OperandInfo configImmediate[] = {
    queue, operand(Field, "field", false, 7, 0, {{0, 11, 7}}),
    number("imm", true, 14, {{0, 18, 14}})};
constexpr OperandInfo configRegister[] = {
    queue, operand(Field, "field", false, 7, 0, {{0, 20, 7}}), rs1};
constexpr OperandInfo go[] = {
    queue, operand(Command, "command", false, 7, 0, {{0, 25, 7}}), rs1, rs2};
constexpr OperandInfo queuePending[] = {queue, count};
constexpr OperandInfo queueSync[] = {queue, sync};
constexpr OperandInfo queueSyncImmediate[] = {queue, sync, count};
constexpr OperandInfo queueSyncRegister[] = {queue, sync, rs1};
constexpr OperandInfo syncOnly[] = {sync};

} // namespace

std::span<const OperandInfo> tally::isa::operandsOf(Format format) {
  switch (format) {
  case Format::Upper:
    return upper;
  case Format::Immediate:
  case Format::Load:
    return immediate;
  case Format::Shift:
    return shift;
  case Format::Register:
    return registers;
  case Format::Store:
    return store;
  case Format::Branch:
    return branch;
  case Format::Jump:
    return jump;
  case Format::Bare:
    return {};
  case Format::ConfigImmediate:
    return configImmediate;
  case Format::ConfigRegister:
    return configRegister;
  case Format::Go:
    return go;
  case Format::QueuePending:
    return queuePending;
  case Format::QueueSync:
    return queueSync;
  case Format::QueueSyncImmediate:
    return queueSyncImmediate;
  case Format::QueueSyncRegister:
    return queueSyncRegister;
  case Format::SyncOnly:
    return syncOnly;
  }
  return {};
}
