//===- TestMutants.cpp - programs with one fault each ---------------------===//

#include "tally/run/checker/TestMutants.h"

#include "tally/emit/isa/Effects.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;
using isa::Opcode;
using isa::OperandKind;

namespace {
/// All mutants of a program.
class Mutator {
public:
  explicit Mutator(const Subject &original) : original(original) {}
  std::vector<Mutant> all();

private:
  void dropWait(uint32_t at);
  void lowerThreshold(uint32_t at);
  void swapRegister(uint32_t at, OperandKind kind);
  void shiftBuffer(uint32_t at);
  void add(const std::string &what, uint32_t at, const isa::Instruction &now);

  const Subject &original;
  std::vector<Mutant> mutants;
};
} // namespace

static bool isWaiting(Opcode opcode) {
  isa::SyncEffect effect = isa::syncEffectOf(opcode);
  return effect == isa::SyncEffect::Reach ||
         effect == isa::SyncEffect::Behind || effect == isa::SyncEffect::Take ||
         effect == isa::SyncEffect::Test || opcode == Opcode::Fence ||
         opcode == Opcode::FenceQueue;
}

void Mutator::add(const std::string &what, uint32_t at,
                  const isa::Instruction &now) {
  Mutant mutant{what + " at " + std::to_string(at) + " (" +
                    std::string(original.text[at].info().mnemonic) + ")",
                original};
  mutant.subject.text[at] = now;
  mutants.push_back(std::move(mutant));
}

void Mutator::dropWait(uint32_t at) {
  if (isWaiting(original.text[at].opcode))
    add("dropped", at, {Opcode::Addi, {0, 0, 0}});
}

void Mutator::lowerThreshold(uint32_t at) {
  isa::Instruction now = original.text[at];
  bool isRelative = now.opcode == Opcode::WaitRel;
  if (isRelative || now.opcode == Opcode::FenceQueue)
    ++now.operands[isRelative ? 2 : 1];
  else if (now.opcode == Opcode::WaitGe && now.operands[2] > 0)
    --now.operands[2];
  else
    return;
  add("lowered", at, now);
}

/// Another register of those that the program uses.
void Mutator::swapRegister(uint32_t at, OperandKind kind) {
  isa::Instruction now = original.text[at];
  std::optional<size_t> place = now.info().find(kind);
  if (!place || now.info().format == isa::Format::Branch)
    return;
  std::vector<int64_t> others;
  for (const isa::Instruction &other : original.text)
    if (std::optional<size_t> p = other.info().find(kind))
      others.push_back(other.operands[*p]);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  for (int64_t other : others)
    if (other != original.text[at].operands[*place]) {
      now.operands[*place] = other;
      add("swapped to " + std::to_string(other), at, now);
    }
}

/// An offset of a memory operand, by one byte and by one buffer.
void Mutator::shiftBuffer(uint32_t at) {
  isa::Instruction now = original.text[at];
  if (now.opcode != Opcode::CfgI)
    return;
  machine::EngineKind kind =
      original.machine.engineOf(static_cast<uint32_t>(now.operands[0])).kind;
  if (!isa::allFields(kind)[now.operands[1]].name.ends_with(".offset"))
    return;
  for (int64_t unit : {1, 4}) {
    isa::Instruction shifted = now;
    shifted.operands[2] += unit;
    add("shifted by " + std::to_string(unit), at, shifted);
  }
}

std::vector<Mutant> Mutator::all() {
  for (uint32_t i = 0; i < original.text.size(); ++i) {
    dropWait(i);
    lowerThreshold(i);
    shiftBuffer(i);
    swapRegister(i, OperandKind::Sync);
    swapRegister(i, OperandKind::Rs1);
  }
  return std::move(mutants);
}

std::vector<Mutant> tally::checker::mutantsOf(const Subject &original) {
  return Mutator(original).all();
}
