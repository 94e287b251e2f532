//===- TileCode.cpp - machine code with tile registers, checked -----------===//

#include "tally/cpu/TileCode.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
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
enum class TileUse { None, Configure, Load, Store, Zero, Product, Call };

/// LLVM's tables of x86-64 instructions.
class Decoder {
public:
  static std::unique_ptr<Decoder> create();

  /// The size of the first instruction of `code`; 0 when it is none.
  uint64_t read(ArrayRef<uint8_t> code, MCInst &instruction) const;
  TileUse use(const MCInst &instruction) const;
  /// Whether a load or store of a tile is relative to the stack pointer.
  bool isOnStack(const MCInst &instruction, TileUse use) const;
  /// Where a jump within a function goes.
  std::optional<uint64_t> jumpTarget(const MCInst &instruction,
                                     uint64_t address, uint64_t size) const;

private:
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCInstrAnalysis> jumps;
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
  decoder->jumps.reset(
      target->createMCInstrAnalysis(decoder->instructions.get()));
  decoder->processor.reset(
      target->createMCSubtargetInfo(triple, "sapphirerapids", ""));
  decoder->context = std::make_unique<MCContext>(
      triple, decoder->assembly.get(), decoder->registers.get(),
      decoder->processor.get());
  decoder->disassembler.reset(
      target->createMCDisassembler(*decoder->processor, *decoder->context));
  return decoder->disassembler && decoder->jumps ? std::move(decoder) : nullptr;
}

uint64_t Decoder::read(ArrayRef<uint8_t> code, MCInst &instruction) const {
  uint64_t size = 0;
  auto status =
      disassembler->getInstruction(instruction, size, code, 0, nulls());
  return status == MCDisassembler::Fail ? 0 : size;
}

std::optional<uint64_t> Decoder::jumpTarget(const MCInst &instruction,
                                            uint64_t address,
                                            uint64_t size) const {
  uint64_t target = 0;
  bool isJump = instructions->get(instruction.getOpcode()).isBranch();
  if (!isJump || !jumps->evaluateBranch(instruction, address, size, target))
    return std::nullopt;
  return target;
}

TileUse Decoder::use(const MCInst &instruction) const {
  StringRef name = instructions->getName(instruction.getOpcode());
  if (name.starts_with("LDTILECFG"))
    return TileUse::Configure;
  if (name.starts_with("TILELOADD"))
    return TileUse::Load;
  if (name.starts_with("TILESTORED"))
    return TileUse::Store;
  if (name.starts_with("TILEZERO"))
    return TileUse::Zero;
  if (name.starts_with("TDP"))
    return TileUse::Product;
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

namespace {
struct TileInstruction {
  uint64_t address;
  TileUse use;
  bool isOnStack;
};

/// Instructions [begin, end] that a jump backwards repeats.
struct CodeLoop {
  uint64_t begin, end;

  bool has(uint64_t address) const {
    return address >= begin && address <= end;
  }
};

/// A function's instructions that have to do with tiles, or call, and its
/// loops, the shortest first.
struct FunctionCode {
  std::vector<TileInstruction> instructions;
  std::vector<CodeLoop> loops;
};
} // namespace

static std::optional<FunctionCode> read(const Decoder &decoder,
                                        ArrayRef<uint8_t> code) {
  FunctionCode function;
  for (uint64_t address = 0; address < code.size();) {
    MCInst instruction;
    uint64_t size = decoder.read(code.drop_front(address), instruction);
    if (!size)
      return std::nullopt;
    TileUse use = decoder.use(instruction);
    if (use != TileUse::None)
      function.instructions.push_back(
          {address, use, decoder.isOnStack(instruction, use)});
    if (auto target = decoder.jumpTarget(instruction, address, size))
      if (*target <= address)
        function.loops.push_back({*target, address});
    address += size;
  }
  llvm::sort(function.loops, [](const CodeLoop &a, const CodeLoop &b) {
    return a.end - a.begin < b.end - b.begin;
  });
  return function;
}

/// Whether the innermost loop around `product` adds up products, as it does
/// when it stores no sum, and calls or configures.
static bool isInterrupted(const FunctionCode &function,
                          const TileInstruction &product) {
  auto loop = llvm::find_if(function.loops, [&](const CodeLoop &loop) {
    return loop.has(product.address);
  });
  auto hasOneOf = [&](std::initializer_list<TileUse> uses) {
    return llvm::any_of(function.instructions,
                        [&](const TileInstruction &other) {
                          return loop->has(other.address) &&
                                 llvm::is_contained(uses, other.use);
                        });
  };
  return loop != function.loops.end() && !hasOneOf({TileUse::Store}) &&
         hasOneOf({TileUse::Call, TileUse::Configure});
}

static Status checkFunction(const Decoder &decoder, StringRef name,
                            ArrayRef<uint8_t> code) {
  auto function = read(decoder, code);
  if (!function)
    return broken(name, "CPU-2", "cannot be read");
  bool isConfigured = false;
  for (const TileInstruction &instruction : function->instructions) {
    if (instruction.use == TileUse::Call)
      continue;
    isConfigured |= instruction.use == TileUse::Configure;
    if (!isConfigured)
      return broken(name, "CPU-TILE-CONFIG",
                    "uses tile registers before it configures them");
    if (instruction.isOnStack)
      return broken(name, "CPU-TILE-SPILL",
                    "keeps a tile on the stack: there are eight registers, of "
                    "one shape each");
    if (instruction.use == TileUse::Product &&
        isInterrupted(*function, instruction))
      return broken(name, "CPU-TILE-LOOP",
                    "calls a function or configures tile registers in a loop "
                    "that adds up products of tiles");
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
