//===- Disassembler.cpp - the text of a program ---------------------------===//
//
// Targets of branches without a symbol get local labels (.L3), which make no
// symbols when the text is assembled again. What is no instruction for the
// program's machine is written as .word.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/asm/Assembler.h"
#include "tally/emit/asm/Directives.h"
#include "tally/emit/asm/Line.h"
#include "tally/emit/asm/ParseInstruction.h"
#include "tally/emit/asm/Text.h"
#include "tally/emit/encode/Encode.h"
#include "tally/emit/program/NeededMachine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace tally;
using namespace tally::isa;
using machine::Machine;

namespace {

class Disassembler {
public:
  explicit Disassembler(const Program &program)
      : program(program), machine(neededMachine(program.requirements)) {
    nameTargets();
  }

  std::string run() {
    writeHead();
    writeSection(".constants", program.constants);
    writeSection(".context", program.context);
    out << "\n.text\n";
    size_t node = 0;
    for (size_t i = 0; i < program.text.size(); ++i) {
      writeNode(int64_t(i), node);
      writeLabels(int64_t(i) * kInstructionBytes);
      out << "  " << lineOf(i) << "\n";
    }
    writeLabels(int64_t(program.text.size()) * kInstructionBytes);
    return std::move(text);
  }

private:
  /// Whether a symbol can stand as a label of the text.
  bool isTextLabel(const Symbol &symbol, std::set<std::string> &taken) const {
    return symbol.space == kTextSpace && symbol.bytes == 0 &&
           symbol.offset % kInstructionBytes == 0 && isLabel(symbol.name) &&
           !symbol.name.starts_with(".L") && taken.insert(symbol.name).second;
  }

  void nameTargets() {
    std::set<std::string> taken;
    for (const Symbol &symbol : program.symbols)
      if (isTextLabel(symbol, taken))
        labels.insert({symbol.offset, symbol.name});
      else
        others.push_back(&symbol);
    for (size_t i = 0; i < program.text.size(); ++i)
      if (std::optional<int64_t> target = targetOf(i);
          target && !labels.contains(*target))
        labels.insert({*target, ".L" + std::to_string(*target / 4)});
  }

  /// The instruction, if it is one for the machine.
  std::optional<Instruction> instructionAt(size_t i) const {
    Result<Instruction> instruction = decode(program.text[i]);
    if (!instruction || !checkFor(*instruction, machine))
      return std::nullopt;
    return *instruction;
  }

  /// Where a branch goes, if that is a place in the text.
  std::optional<int64_t> targetOf(size_t i) const {
    std::optional<Instruction> instruction = instructionAt(i);
    if (!instruction || !instruction->info().find(OperandKind::Offset))
      return std::nullopt;
    int64_t target = int64_t(i) * kInstructionBytes +
                     instruction->operand(OperandKind::Offset);
    int64_t end = int64_t(program.text.size()) * kInstructionBytes;
    bool isPlace =
        target >= 0 && target <= end && target % kInstructionBytes == 0;
    return isPlace ? std::optional(target) : std::nullopt;
  }

  std::string lineOf(size_t i) const {
    std::optional<Instruction> instruction = instructionAt(i);
    if (!instruction) {
      std::string word;
      llvm::raw_string_ostream(word)
          << ".word " << llvm::format_hex(program.text[i], 10);
      return word;
    }
    std::optional<int64_t> target = targetOf(i);
    return textOf(*instruction, machine,
                  target ? labels.find(*target)->second : std::string());
  }

  void writeLabels(int64_t offset) {
    auto [first, last] = labels.equal_range(offset);
    for (auto label = first; label != last; ++label)
      out << label->second << ":\n";
  }

  void writeNode(int64_t i, size_t &node) {
    if (node < program.nodes.size() &&
        i == program.nodes[node].first + program.nodes[node].count) {
      ++node;
      bool follows =
          node < program.nodes.size() && program.nodes[node].first == i;
      if (!follows)
        out << ".endnode\n";
    }
    if (node < program.nodes.size() && program.nodes[node].first == i)
      out << ".node " << quoted(program.nodes[node].name) << "\n";
  }

  void writeHead() {
    const Requirements &needs = program.requirements;
    out << "# for machine " << needs.machine << "\n";
    if (!program.producer.empty())
      out << ".producer " << quoted(program.producer) << "\n";
    out << ".sram " << needs.sramBytes << "\n.accumulators "
        << needs.accumulatorBytes << "\n.arena " << program.arenaBytes << ", "
        << program.arenaAlignment << "\n";
    for (const Buffer &buffer : program.buffers)
      writeBuffer(buffer);
    writeStates();
    for (const RuntimeScalar &scalar : program.scalars)
      out << ".scalar " << quoted(scalar.name) << " " << scalar.offset << ", "
          << scalar.least << ", " << scalar.greatest << "\n";
    for (const Symbol *symbol : others)
      out << ".symbol " << quoted(symbol->name) << " "
          << spaceText(symbol->space) << " " << symbol->offset << ", "
          << symbol->bytes << "\n";
  }

  /// "i8 1x8x8x64".
  void writeType(machine::ElementType type, const std::vector<int64_t> &shape) {
    out << elementTypeName(type) << " ";
    for (size_t d = 0; d < shape.size(); ++d)
      out << (d == 0 ? "" : "x") << shape[d];
    if (shape.empty())
      out << "any";
  }

  void writeGrid(double scale, int64_t zero) {
    if (scale != 0)
      out << " scale \"" << llvm::format("%.17g", scale) << "\"";
    if (zero != 0)
      out << " zero " << zero;
  }

  void writeBuffer(const Buffer &buffer) {
    out << bufferDirective(buffer.use) << " " << quoted(buffer.name) << " ";
    writeType(buffer.type, buffer.shape);
    out << " bytes " << buffer.bytes << " align " << buffer.alignment;
    writeGrid(buffer.scale, buffer.zero);
    out << (buffer.isBool ? " bool\n" : "\n");
  }

  void writeRing(const Ring &ring) {
    out << " frames " << ring.frames << " pitch " << ring.pitch << " enters "
        << ring.enters << " runs " << ring.runs << (ring.down ? " down" : "");
  }

  void writeAppend(const Append &append) {
    out << " scalar " << append.scalar << " runs " << append.runs << " pitch "
        << append.pitch << " step " << append.step << " bytes " << append.bytes;
  }

  void writeCounter(const Counter &counter) {
    out << " scalar " << counter.scalar << " most " << counter.most << " step "
        << counter.step << " last " << counter.last;
  }

  void writeStates() {
    for (size_t i = 0; i < program.slots.size(); ++i)
      out << ".slot " << program.slots[i] << ", " << program.commit[i] << "\n";
    for (const State &state : program.states) {
      out << ".state " << quoted(state.name) << " ";
      writeType(state.type, state.shape);
      writeGrid(state.scale, state.zero);
      out << " policy "
          << quoted(std::string(policyNames()[size_t(state.policy)]))
          << " current " << state.current << " next " << state.next;
      if (state.isBool)
        out << " bool";
      if (state.policy == StatePolicy::Ring)
        writeRing(state.ring);
      if (state.policy == StatePolicy::Append)
        writeAppend(state.append);
      if (state.policy == StatePolicy::Counter)
        writeCounter(state.counter);
      if (state.writtenBytes || state.copiedBytes)
        out << " written " << state.writtenBytes << " copied "
            << state.copiedBytes;
      if (state.initial)
        out << " initial " << quoted(state.initialText());
      if (!state.reason.empty())
        out << " reason " << quoted(state.reason);
      out << "\n";
    }
    if (!program.states.empty())
      out << ".state.hash \"" << llvm::utohexstr(program.stateHash) << "\"\n";
  }

  void writeSection(const char *name, const std::vector<uint8_t> &bytes) {
    if (bytes.empty())
      return;
    out << "\n" << name << "\n";
    for (size_t at = 0; at < bytes.size(); at += 16) {
      out << "  .byte ";
      for (size_t i = at; i < std::min(at + 16, bytes.size()); ++i)
        out << (i == at ? "" : ", ") << int(bytes[i]);
      out << "\n";
    }
  }

  const Program &program;
  Machine machine;
  std::multimap<int64_t, std::string> labels; ///< by offset
  std::vector<const Symbol *> others;         ///< that are no labels
  std::string text;
  llvm::raw_string_ostream out{text};
};

} // namespace

std::string tally::isa::disassemble(const Program &program) {
  return Disassembler(program).run();
}
