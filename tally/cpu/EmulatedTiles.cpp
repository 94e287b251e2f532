//===- EmulatedTiles.cpp - tiles in memory --------------------------------===//
//
// LLVM's tiles are values: each has memory of its own, written where the value
// is made. A value that meets others where paths join (phi) is copied there,
// since in a loop its memory is written anew while the copy is still read:
//
//     loop:  %sums = phi x86_amx [%zero, ...], [%more, %loop]
//            %more = tdpbusd(%sums, ...)       memory of %more
//     becomes, at the end of each path, copy to the phi's landing place, and at
//     the beginning of the block copy from there to the phi's own memory, since
//     phis read each other's old values.
//
// Cost: a product of tiles takes microseconds where AMX takes 16 cycles.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2,
// TDPBSSD ff., TILELOADD, TILESTORED.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/EmulatedTiles.h"
#include "tally/cpu/IrText.h"
#include "tally/support/Failed.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

static constexpr uint64_t kRowBytes = 64;
static constexpr uint64_t kTileSize = 16 * kRowBytes;

/// What is called in place of instructions on tiles. SYM_ begins every name;
/// the names end as those of the tier do, so that they go where its kernels go.
/// Here rows between a tile and memory, either way.
static const char *kMoveRows = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @SYM_move_rows_amx(ptr %to, i64 %toPitch, ptr %from, i64 %fromPitch, i16 %rows, i16 %bytes) {
  %count = zext i16 %rows to i64
  %size = zext i16 %bytes to i64
  br label %loop
loop:
  %row = phi i64 [ 0, %0 ], [ %next, %loop ]
  %toStart = mul i64 %row, %toPitch
  %toRow = getelementptr i8, ptr %to, i64 %toStart
  %fromStart = mul i64 %row, %fromPitch
  %fromRow = getelementptr i8, ptr %from, i64 %fromStart
  call void @llvm.memcpy.p0.p0.i64(ptr %toRow, ptr %fromRow, i64 %size, i1 false)
  %next = add i64 %row, 1
  %isMore = icmp ult i64 %next, %count
  br i1 %isMore, label %loop, label %done
done:
  ret void
}
)";

/// %tile = %sums + %left * %right: a row of sums is sixteen lanes, to which
/// each word of the left row adds its four bytes times the bytes of a right
/// row. Columns behind the shape's are zero, as those of the right tile are.
static const char *kTileProduct = R"(
define void @SYM_tdpb$SIGNSd_amx(ptr %tile, i16 %rows, i16 %terms, ptr %sums, ptr %left, ptr %right) {
  call void @llvm.memcpy.p0.p0.i64(ptr %tile, ptr %sums, i64 1024, i1 false)
  %count = zext i16 %rows to i64
  %bytes = zext i16 %terms to i64
  %words = lshr i64 %bytes, 2
  br label %row
row:
  %m = phi i64 [ 0, %0 ], [ %nextRow, %rowEnd ]
  %rowStart = mul i64 %m, 64
  %sumsAt = getelementptr i8, ptr %tile, i64 %rowStart
  %leftRow = getelementptr i8, ptr %left, i64 %rowStart
  %before = load <16 x i32>, ptr %sumsAt, align 4
  br label %word
word:
  %k = phi i64 [ 0, %row ], [ %nextWord, %word ]
  %sum = phi <16 x i32> [ %before, %row ], [ %after, %word ]
  %leftAt = getelementptr i32, ptr %leftRow, i64 %k
  %four = load <4 x i8>, ptr %leftAt, align 1
  %rightStart = mul i64 %k, 64
  %rightAt = getelementptr i8, ptr %right, i64 %rightStart
  %b = load <64 x i8>, ptr %rightAt, align 1
  %a = shufflevector <4 x i8> %four, <4 x i8> poison, <64 x i32> $FOURS
  %aWide = $LEFT <64 x i8> %a to <64 x i32>
  %bWide = $RIGHT <64 x i8> %b to <64 x i32>
  %products = mul <64 x i32> %aWide, %bWide
  %p0 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> $TERM0
  %p1 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> $TERM1
  %p2 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> $TERM2
  %p3 = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> $TERM3
  %s0 = add <16 x i32> %sum, %p0
  %s1 = add <16 x i32> %s0, %p1
  %s2 = add <16 x i32> %s1, %p2
  %after = add <16 x i32> %s2, %p3
  %nextWord = add i64 %k, 1
  %isMoreWords = icmp ult i64 %nextWord, %words
  br i1 %isMoreWords, label %word, label %rowEnd
rowEnd:
  store <16 x i32> %after, ptr %sumsAt, align 4
  %nextRow = add i64 %m, 1
  %isMoreRows = icmp ult i64 %nextRow, %count
  br i1 %isMoreRows, label %row, label %done
done:
  ret void
}
)";

/// "<i32 a, i32 b, ...>": lane(0), lane(1), ...
static std::string laneList(int count, function_ref<int(int)> lane) {
  std::vector<std::string> lanes;
  lanes.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    lanes.push_back("i32 " + std::to_string(lane(i)));
  return "<" + join(lanes, ", ") + ">";
}

static std::string tileText(const std::string &symbol) {
  std::string text = kMoveRows;
  for (const char *signs : {"ss", "su", "us", "uu"}) {
    std::string product = replaceAll(kTileProduct, "$SIGNS", signs);
    auto widen = [&](int side) { return signs[side] == 's' ? "sext" : "zext"; };
    product = replaceAll(product, "$LEFT", widen(0));
    text += replaceAll(product, "$RIGHT", widen(1));
  }
  text = replaceAll(text, "$FOURS",
                    laneList(64, [](int lane) { return lane % 4; }));
  for (int term : {0, 1, 2, 3})
    text = replaceAll(text, "$TERM" + std::to_string(term),
                      laneList(16, [&](int lane) { return 4 * lane + term; }));
  return replaceAll(text, "@SYM_", "@" + symbol + "_");
}

/// Which function of tileText stands for an instruction; empty for others.
static StringRef tileFunction(Intrinsic::ID instruction) {
  switch (instruction) {
  case Intrinsic::x86_tileloadd64_internal:
  case Intrinsic::x86_tileloaddt164_internal:
  case Intrinsic::x86_tilestored64_internal:
    return "move_rows";
  case Intrinsic::x86_tdpbssd_internal:
    return "tdpbssd";
  case Intrinsic::x86_tdpbsud_internal:
    return "tdpbsud";
  case Intrinsic::x86_tdpbusd_internal:
    return "tdpbusd";
  case Intrinsic::x86_tdpbuud_internal:
    return "tdpbuud";
  default:
    return "";
  }
}

namespace {
/// Puts the tiles of one function into memory.
class TilesInMemory {
public:
  TilesInMemory(Function &function, const std::string &symbol)
      : function(function), symbol(symbol) {}

  void run() {
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (instruction.getType()->isX86_AMXTy())
          memory[&instruction] = newTile();
    SmallVector<Instruction *> old;
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block))
        if (replace(instruction))
          old.push_back(&instruction);
    erase(old);
  }

private:
  Value *newTile() {
    IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
    auto *tile = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), kTileSize));
    tile->setAlignment(Align(64));
    return tile;
  }

  Value *tileOf(Value *value) const { return memory.lookup(value); }

  static void copy(IRBuilder<> &b, Value *to, Value *from) {
    b.CreateMemCpy(to, Align(64), from, Align(64), kTileSize);
  }

  /// Whether the instruction is of tiles; its like stands before it then.
  bool replace(Instruction &instruction) {
    if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      if (!phi->getType()->isX86_AMXTy())
        return false;
      replacePhi(*phi);
      return true;
    }
    auto *call = dyn_cast<CallInst>(&instruction);
    return call && replaceCall(*call);
  }

  void replacePhi(PHINode &phi) {
    Value *landing = newTile();
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      IRBuilder<> b(phi.getIncomingBlock(i)->getTerminator());
      copy(b, landing, tileOf(phi.getIncomingValue(i)));
    }
    IRBuilder<> b(&*phi.getParent()->getFirstInsertionPt());
    copy(b, tileOf(&phi), landing);
  }

  bool replaceCall(CallInst &call) {
    IRBuilder<> b(&call);
    Intrinsic::ID instruction = call.getIntrinsicID();
    StringRef name = tileFunction(instruction);
    bool isZero = instruction == Intrinsic::x86_tilezero_internal;
    if (name.empty() && !isZero)
      return false;
    bool isLoad = name == "move_rows" && !call.getType()->isVoidTy();
    if (isZero || isLoad)
      b.CreateMemSet(tileOf(&call), b.getInt8(0), kTileSize, Align(64));
    if (!isZero)
      b.CreateCall(
          function.getParent()->getFunction(symbol + "_" + name.str() + "_amx"),
          argumentsOf(b, call));
    return true;
  }

  /// As tileText's functions take them.
  SmallVector<Value *> argumentsOf(IRBuilder<> &b, CallInst &call) const {
    auto argument = [&](unsigned i) { return call.getArgOperand(i); };
    Value *rowBytes = b.getInt64(kRowBytes);
    switch (call.getIntrinsicID()) {
    case Intrinsic::x86_tileloadd64_internal: // rows, bytes, memory, pitch
    case Intrinsic::x86_tileloaddt164_internal:
      return {tileOf(&call), rowBytes,    argument(2),
              argument(3),   argument(0), argument(1)};
    case Intrinsic::x86_tilestored64_internal: // rows, bytes, ..., tile
      return {argument(2), argument(3), tileOf(argument(4)),
              rowBytes,    argument(0), argument(1)};
    default: // products: rows, bytes of sums, terms, sums, left, right
      return {tileOf(&call),       argument(0),         argument(2),
              tileOf(argument(3)), tileOf(argument(4)), tileOf(argument(5))};
    }
  }

  static void erase(ArrayRef<Instruction *> old) {
    for (Instruction *instruction : old)
      if (!instruction->getType()->isVoidTy())
        instruction->replaceAllUsesWith(
            PoisonValue::get(instruction->getType()));
    for (Instruction *instruction : old)
      instruction->eraseFromParent();
  }

  Function &function;
  const std::string &symbol;
  DenseMap<Value *, Value *> memory; ///< of each value that is a tile
};
} // namespace

Status tally::cpu::addTileFunctions(Module &module, const std::string &symbol) {
  SMDiagnostic problem;
  auto functions =
      parseAssemblyString(tileText(symbol), problem, module.getContext());
  if (!functions)
    return failed(FailureKind::Internal, "CPU-2",
                  "emulation of tiles does not parse: " +
                      problem.getMessage().str());
  functions->setTargetTriple(module.getTargetTriple());
  functions->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(functions)))
    return failed(FailureKind::Internal, "CPU-2",
                  "emulation of tiles does not link");
  return Status::success();
}

void tally::cpu::putTilesInMemory(Function &function,
                                  const std::string &symbol) {
  TilesInMemory(function, symbol).run();
}
