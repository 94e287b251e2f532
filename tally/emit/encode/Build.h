//===- Build.h - a function for each instruction ----------------*- C++ -*-===//
//
// build::Addi(5, 0, 12) is the Instruction `addi x5, x0, 12`. The functions
// come from the table of instructions; parameters have the order and names of
// the format's operands. Ranges are checked when the instruction is encoded.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ENCODE_BUILD_H
#define TALLY_EMIT_ENCODE_BUILD_H

#include "tally/emit/isa/Command.h"
#include "tally/emit/isa/Instruction.h"

namespace tally::isa::build {

/// A staged field, whatever the kind of engine.
struct FieldNumber {
  int64_t number = 0;
  FieldNumber(DmaField field) : number(int64_t(field)) {}
  FieldNumber(MatrixField field) : number(int64_t(field)) {}
  FieldNumber(VectorField field) : number(int64_t(field)) {}
  explicit FieldNumber(uint32_t field) : number(field) {}
};

/// The operands of a format as parameters.
template <Opcode opcode, Format format> struct Builder;

template <Opcode opcode> struct Builder<opcode, Format::Upper> {
  Instruction operator()(int64_t rd, int64_t imm) const {
    return {opcode, {rd, imm}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Immediate> {
  Instruction operator()(int64_t rd, int64_t rs1, int64_t imm) const {
    return {opcode, {rd, rs1, imm}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Shift> {
  Instruction operator()(int64_t rd, int64_t rs1, int64_t shamt) const {
    return {opcode, {rd, rs1, shamt}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Register> {
  Instruction operator()(int64_t rd, int64_t rs1, int64_t rs2) const {
    return {opcode, {rd, rs1, rs2}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Load> {
  Instruction operator()(int64_t rd, int64_t rs1, int64_t imm) const {
    return {opcode, {rd, rs1, imm}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Store> {
  Instruction operator()(int64_t rs2, int64_t rs1, int64_t imm) const {
    return {opcode, {rs2, rs1, imm}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Branch> {
  Instruction operator()(int64_t rs1, int64_t rs2, int64_t offset) const {
    return {opcode, {rs1, rs2, offset}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Jump> {
  Instruction operator()(int64_t rd, int64_t offset) const {
    return {opcode, {rd, offset}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Bare> {
  Instruction operator()() const { return {opcode, {}}; }
};
template <Opcode opcode> struct Builder<opcode, Format::ConfigImmediate> {
  Instruction operator()(int64_t queue, FieldNumber field, int64_t imm) const {
    return {opcode, {queue, field.number, imm}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::ConfigRegister> {
  Instruction operator()(int64_t queue, FieldNumber field, int64_t rs1) const {
    return {opcode, {queue, field.number, rs1}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::Go> {
  Instruction operator()(int64_t queue, CommandCode command, int64_t rs1 = 0,
                         int64_t rs2 = 0) const {
    return {opcode, {queue, int64_t(command), rs1, rs2}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::QueuePending> {
  Instruction operator()(int64_t queue, int64_t pending) const {
    return {opcode, {queue, pending}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::QueueSync> {
  Instruction operator()(int64_t queue, int64_t sync) const {
    return {opcode, {queue, sync}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::QueueSyncImmediate> {
  Instruction operator()(int64_t queue, int64_t sync, int64_t imm) const {
    return {opcode, {queue, sync, imm}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::QueueSyncRegister> {
  Instruction operator()(int64_t queue, int64_t sync, int64_t rs1) const {
    return {opcode, {queue, sync, rs1}};
  }
};
template <Opcode opcode> struct Builder<opcode, Format::SyncOnly> {
  Instruction operator()(int64_t sync) const { return {opcode, {sync}}; }
};

#define TALLY_INSTRUCTION(id, mnemonic, format, ...)                           \
  inline constexpr Builder<Opcode::id, Format::format> id;
#include "tally/emit/isa/Instructions.def"

} // namespace tally::isa::build

#endif // TALLY_EMIT_ENCODE_BUILD_H
