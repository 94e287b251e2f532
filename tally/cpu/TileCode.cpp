//===- TileCode.cpp - machine code with tile registers, checked -----------===//

#include "tally/cpu/TileCode.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <optional>

using namespace llvm;
using namespace tally;

static Diagnostic broken(StringRef function, const std::string &rule,
                         const std::string &what) {
  Diagnostic failure;
  failure.kind = FailureKind::Internal;
  failure.rule = rule;
  failure.message = "machine code of '" + function.str() + "' " + what;
  return failure;
}

namespace {
/// What an instruction does to tiles.
enum class TileUse { None, Configure, Load, Store, Compute, Call };

/// LLVM's tables of x86-64 instructions.
class Decoder {
public:
  static std::unique_ptr<Decoder> create();

  /// The next instruction of `code`, taken from its front.
  bool next(ArrayRef<uint8_t> &code, MCInst &instruction) const;
  TileUse use(const MCInst &instruction) const;
  /// Whether a load or store of a tile is relative to the stack pointer.
  bool isOnStack(const MCInst &instruction, TileUse use) const;

private:
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> processor;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
};
} // namespace

std::unique_ptr<Decoder> Decoder::create() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  auto decoder = std::make_unique<Decoder>();
  decoder->registers.reset(target->createMCRegInfo(triple));
  decoder->assembly.reset(
      target->createMCAsmInfo(*decoder->registers, triple, MCTargetOptions()));
  decoder->instructions.reset(target->createMCInstrInfo());
  decoder->processor.reset(
      target->createMCSubtargetInfo(triple, "sapphirerapids", ""));
  decoder->context = std::make_unique<MCContext>(
      triple, decoder->assembly.get(), decoder->registers.get(),
      decoder->processor.get());
  decoder->disassembler.reset(
      target->createMCDisassembler(*decoder->processor, *decoder->context));
  return decoder->disassembler ? std::move(decoder) : nullptr;
}

bool Decoder::next(ArrayRef<uint8_t> &code, MCInst &instruction) const {
  uint64_t size = 0;
  auto status =
      disassembler->getInstruction(instruction, size, code, 0, nulls());
  if (status == MCDisassembler::Fail || size == 0)
    return false;
  code = code.drop_front(size);
  return true;
}

TileUse Decoder::use(const MCInst &instruction) const {
  StringRef name = instructions->getName(instruction.getOpcode());
  if (name.starts_with("LDTILECFG"))
    return TileUse::Configure;
  if (name.starts_with("TILELOADD"))
    return TileUse::Load;
  if (name.starts_with("TILESTORED"))
    return TileUse::Store;
  if (name.starts_with("TILEZERO") || name.starts_with("TDP"))
    return TileUse::Compute;
  return instructions->get(instruction.getOpcode()).isCall() ? TileUse::Call
                                                             : TileUse::None;
}

bool Decoder::isOnStack(const MCInst &instruction, TileUse use) const {
  if (use != TileUse::Load && use != TileUse::Store)
    return false;
  // The address comes behind the loaded register, and before the stored one.
  const MCOperand &base = instruction.getOperand(use == TileUse::Load ? 1 : 0);
  return base.isReg() && StringRef(registers->getName(base.getReg())) == "RSP";
}

static Status checkFunction(const Decoder &decoder, StringRef name,
                            ArrayRef<uint8_t> code) {
  int configured = 0;
  bool hasTiles = false, isCallBehind = false;
  while (!code.empty()) {
    MCInst instruction;
    if (!decoder.next(code, instruction))
      return broken(name, "CPU-2", "cannot be read");
    TileUse use = decoder.use(instruction);
    if (use == TileUse::None)
      continue;
    if (use == TileUse::Call) {
      isCallBehind = hasTiles;
      continue;
    }
    configured += use == TileUse::Configure;
    if (configured != 1)
      return broken(name, "CPU-TILE-CONFIG",
                    configured ? "configures tile registers twice"
                               : "uses tile registers before it configures "
                                 "them");
    if (use == TileUse::Configure)
      continue;
    if (decoder.isOnStack(instruction, use))
      return broken(name, "CPU-TILE-SPILL",
                    "keeps a tile on the stack: there are eight registers, of "
                    "one shape each");
    if (isCallBehind)
      return broken(name, "CPU-TILE-CALL",
                    "calls a function while it uses tile registers");
    hasTiles = true;
  }
  return Status::success();
}

/// The bytes of a function, empty when the symbol is none.
static ArrayRef<uint8_t> codeOf(const object::ELFSymbolRef &symbol) {
  auto section = symbol.getSection();
  auto address = symbol.getAddress();
  if (!section || !address) {
    consumeError(section.takeError());
    consumeError(address.takeError());
    return {};
  }
  auto contents = (*section)->getContents();
  if (!contents) {
    consumeError(contents.takeError());
    return {};
  }
  uint64_t begin = *address - (*section)->getAddress();
  return arrayRefFromStringRef(contents->substr(begin, symbol.getSize()));
}

Status tally::cpu::checkTileCode(StringRef object,
                                 function_ref<bool(StringRef)> wants) {
  auto file = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(object, "object"), /*InitContent=*/true);
  if (!file)
    return broken("", "CPU-2", toString(file.takeError()));
  std::unique_ptr<Decoder> decoder;
  for (object::ELFSymbolRef symbol :
       cast<object::ELFObjectFileBase>(file->get())->symbols()) {
    auto name = symbol.getName();
    if (!name) {
      consumeError(name.takeError());
      continue;
    }
    if (symbol.getELFType() != ELF::STT_FUNC || !wants(*name))
      continue;
    if (!decoder && !(decoder = Decoder::create()))
      return broken(*name, "CPU-2", "cannot be read without LLVM's x86-64");
    if (Status status = checkFunction(*decoder, *name, codeOf(symbol)); !status)
      return status;
  }
  return Status::success();
}
