//===- Glue.cpp - the C entry of an object --------------------------------===//
//
// Written as LLVM IR text, which is the shortest readable form of straight
// code. Detection follows the x86-64 microarchitecture levels: CPUID says what
// the processor has, XGETBV what the operating system saves.
//
// In the text, SYM_ begins every name of ours, and $WORD is a part that depends
// on the interface. The symbol is put in last: it may contain any of these.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/Glue.h"
#include "tally/cpu/Emulation.h"
#include "tally/cpu/IrText.h"
#include "tally/cpu/ModuleEmitter.h"
#include "tally/cpu/MostParts.h"
#include "tally/cpu/SelfTest.h"
#include "tally/cpu/Target.h"
#include "tally/ops/State.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace tally;
using namespace tally::cpu;

/// Returns the set of tiers that there are, a bit for each (tierBit). For AMX
/// the operating system has to be asked.
static const char *kDetectX86 = R"(
define internal i32 @SYM_detect() noinline {
entry:
  %leaves = call {i32, i32, i32, i32} asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0, i32 0)
  %last = extractvalue {i32, i32, i32, i32} %leaves, 0
  %has7 = icmp uge i32 %last, 7
  br i1 %has7, label %features, label %baseline
features:
  %one = call {i32, i32, i32, i32} asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 1, i32 0)
  %c1 = extractvalue {i32, i32, i32, i32} %one, 2
  ; FMA 12, SSE4.2 20, MOVBE 22, POPCNT 23, OSXSAVE 27, AVX 28, F16C 29
  %m1 = and i32 %c1, 953159680
  %ok1 = icmp eq i32 %m1, 953159680
  br i1 %ok1, label %saved, label %baseline
saved:
  %xcr = call {i32, i32} asm "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %states = extractvalue {i32, i32} %xcr, 0
  %ymm = and i32 %states, 6
  %okYmm = icmp eq i32 %ymm, 6
  %seven = call {i32, i32, i32, i32} asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 7, i32 0)
  %b7 = extractvalue {i32, i32, i32, i32} %seven, 1
  %c7 = extractvalue {i32, i32, i32, i32} %seven, 2
  ; BMI1 3, AVX2 5, BMI2 8
  %m7 = and i32 %b7, 296
  %ok7 = icmp eq i32 %m7, 296
  %ext = call {i32, i32, i32, i32} asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 -2147483647, i32 0)
  %ce = extractvalue {i32, i32, i32, i32} %ext, 2
  ; LZCNT 5
  %me = and i32 %ce, 32
  %okE = icmp ne i32 %me, 0
  %v3a = and i1 %okYmm, %ok7
  %v3 = and i1 %v3a, %okE
  br i1 %v3, label %wide, label %baseline
wide:
  ; AVX-VNNI 4 of the next subleaf
  %subleaves = extractvalue {i32, i32, i32, i32} %seven, 0
  %hasNext = icmp ne i32 %subleaves, 0
  %next = call {i32, i32, i32, i32} asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 7, i32 1)
  %a71 = extractvalue {i32, i32, i32, i32} %next, 0
  %mVex = and i32 %a71, 16
  %okVex = icmp ne i32 %mVex, 0
  %vex = and i1 %hasNext, %okVex
  %vexBit = select i1 %vex, i32 $AVXVNNI, i32 0
  %zmm = and i32 %states, 230
  %okZmm = icmp eq i32 %zmm, 230
  ; AVX512F 16, DQ 17, CD 28, BW 30, VL 31
  %m512 = and i32 %b7, -805109760
  %ok512 = icmp eq i32 %m512, -805109760
  ; VNNI 11
  %mv = and i32 %c7, 2048
  %okV = icmp ne i32 %mv, 0
  %v4a = and i1 %okZmm, %ok512
  %v4 = and i1 %v4a, %okV
  %some = or i32 $BASELINE_AND_AVX2, %vexBit
  br i1 %v4, label %tiles, label %narrow
tiles:
  %most = or i32 %some, $AVX512VNNI
  %xtile = and i32 %states, 393216
  %okXtile = icmp eq i32 %xtile, 393216
  ; AVX512_VBMI 1
  %mb = and i32 %c7, 2
  %okB = icmp ne i32 %mb, 0
  ; AMX-TILE 24, AMX-INT8 25
  %d7 = extractvalue {i32, i32, i32, i32} %seven, 3
  %mt = and i32 %d7, 50331648
  %okT = icmp eq i32 %mt, 50331648
  %amxA = and i1 %okXtile, %okB
  %amx = and i1 %amxA, %okT
  br i1 %amx, label %ask, label %noTiles
ask:
  ; arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
  %refused = call i64 asm sideeffect "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}"(i64 158, i64 4131, i64 18)
  %isAllowed = icmp eq i64 %refused, 0
  %amxBit = select i1 %isAllowed, i32 $AMX, i32 0
  %all = or i32 %most, %amxBit
  ret i32 %all
noTiles:
  ret i32 %most
narrow:
  ret i32 %some
baseline:
  ret i32 $BASELINE
}
)";

/// Linux answers for the identification registers, which programs may not read
/// themselves (since 4.11).
static const char *kDetectArm = R"(
define internal i32 @SYM_detect() noinline {
  %features = call i64 asm "mrs $0, ID_AA64ISAR1_EL1", "=r"()
  ; I8MM 52 to 55
  %field = lshr i64 %features, 52
  %version = and i64 %field, 15
  %okI8mm = icmp ne i64 %version, 0
  %i8mmBit = select i1 %okI8mm, i32 $I8MM, i32 0
  %all = or i32 $NEON, %i8mmBit
  ret i32 %all
}
)";

static const char *kDetectNothing = R"(
define internal i32 @SYM_detect() noinline {
  ret i32 $NEON
}
)";

static const char *kRun = R"(
; Of tiers; 0: not asked yet.
@SYM_present = internal global i32 0, align 4

define $RUN {
entry:
  %noInputs = icmp eq ptr %inputs, null
  %noOutputs = icmp eq ptr %outputs, null
  %noLists = or i1 %noInputs, %noOutputs
  br i1 %noLists, label %refuse, label %findArena
findArena:
  %noArena = icmp eq ptr %given, null
  %arena = select i1 %noArena, ptr $STATIC_ARENA, ptr %given
  %stillNone = icmp eq ptr %arena, null
  %isMissing = and i1 %stillNone, $NEEDS_ARENA
  %address = ptrtoint ptr %arena to i64
  %low = and i64 %address, 63
  %isUneven = icmp ne i64 %low, 0
  %isBad = or i1 %isMissing, %isUneven
  br i1 %isBad, label %refuse, label %pointers
pointers:
$LOADS
  br i1 %anyNull, label %refuse, label %numbers
numbers:
$NUMBERS
  br i1 %anyFull, label %full, label %present
present:
  %known = load atomic i32, ptr @SYM_present monotonic, align 4
  %isKnown = icmp ne i32 %known, 0
  br i1 %isKnown, label %choose, label %detect
detect:
  %found = call i32 @SYM_detect()
  store atomic i32 %found, ptr @SYM_present monotonic, align 4
  br label %choose
choose:
  %cpu = phi i32 [ %known, %present ], [ %found, %detect ]
$CHOICES
refuse:
  ret i32 1
tooOld:
  ret i32 2
full:
  ret i32 4
}
)";

/// What an object for several threads has besides: SYM_run and SYM_run_parallel
/// are one function, and SYM_each does the parts of a step.
static const char *kParallel = R"(
define i32 @SYM_run(ptr %inputs, ptr %outputs, ptr %given) {
  %status = call i32 @SYM_run_with(ptr %inputs, ptr %outputs, ptr %given, ptr null, ptr null)
  ret i32 %status
}

define i32 @SYM_run_parallel(ptr %inputs, ptr %outputs, ptr %given, ptr %parallelFor, ptr %user) {
  %status = call i32 @SYM_run_with(ptr %inputs, ptr %outputs, ptr %given, ptr %parallelFor, ptr %user)
  ret i32 %status
}

define void @SYM_each(ptr %parallelFor, ptr %user, ptr %task, ptr %data) noinline {
  %isAlone = icmp eq ptr %parallelFor, null
  br i1 %isAlone, label %alone, label %together
alone:
  call void %task(ptr %data, i32 0, i32 1)
  ret void
together:
  call void %parallelFor(ptr %user, i32 $PARTS, ptr %task, ptr %data)
  ret void
}
)";

static std::string runSignature(const CpuOptions &options) {
  const char *own = "(ptr %inputs, ptr %outputs, ptr %given";
  return options.threads == 1 ? std::string("i32 @SYM_run") + own + ")"
                              : std::string("internal i32 @SYM_run_with") +
                                    own + ", ptr %parallelFor, ptr %user)";
}

static std::string pointerLoads(const runtime::Interface &interface) {
  std::string text, any = "false";
  int64_t n = 0;
  auto load = [&](const char *list, size_t count) {
    for (size_t i = 0; i < count; ++i, ++n) {
      std::string id = std::to_string(n);
      text += "  %at" + id + " = getelementptr ptr, ptr %" + list + ", i64 " +
              std::to_string(i) + "\n  %p" + id + " = load ptr, ptr %at" + id +
              ", align 8\n  %null" + id + " = icmp eq ptr %p" + id +
              ", null\n  %any" + id + " = or i1 " + any + ", %null" + id + "\n";
      any = "%any" + id;
    }
  };
  load("inputs", interface.inputPointers());
  load("outputs", interface.outputPointers());
  return text + "  %anyNull = or i1 false, " + any + "\n";
}

std::vector<NumberLimit> tally::cpu::numberLimits(mlir::func::FuncOp function) {
  std::vector<NumberLimit> limits;
  auto module = function->getParentOfType<mlir::ModuleOp>();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<mlir::FlatSymbolRefAttr>(
        i, nn::kStateOfValue);
    auto state =
        name ? module.lookupSymbol<nn::StateOp>(name.getAttr()) : nn::StateOp();
    if (state && state.getMost())
      limits.push_back({i, static_cast<int64_t>(*state.getMost())});
  }
  return limits;
}

/// %anyFull: whether a number is negative or larger than it may be.
static std::string numberChecks(const std::vector<NumberLimit> &limits) {
  std::string text, any = "false";
  for (const NumberLimit &limit : limits) {
    std::string id = std::to_string(limit.input);
    text += "  %number" + id + " = load i64, ptr %p" + id + ", align 8\n" +
            "  %full" + id + " = icmp ugt i64 %number" + id + ", " +
            std::to_string(limit.most) + "\n  %anyFull" + id + " = or i1 " +
            any + ", %full" + id + "\n";
    any = "%anyFull" + id;
  }
  return text + "  %anyFull = or i1 false, " + any + "\n";
}

static std::string callArguments(const runtime::Interface &interface,
                                 const CpuOptions &options) {
  std::string text;
  size_t count = interface.inputPointers() + interface.outputPointers();
  for (size_t i = 0; i < count; ++i)
    text += "ptr %p" + std::to_string(i) + ", ";
  return text + "ptr %arena" +
         (options.threads == 1 ? "" : ", ptr %parallelFor, ptr %user");
}

static std::string tierBit(Tier tier) {
  return std::to_string(1U << static_cast<unsigned>(tier));
}

static std::string detectionOfX86() {
  std::string both =
      std::to_string(1U << static_cast<unsigned>(Tier::Baseline) |
                     1U << static_cast<unsigned>(Tier::Avx2));
  std::string text = replaceAll(kDetectX86, "$BASELINE_AND_AVX2", both);
  text = replaceAll(text, "$BASELINE", tierBit(Tier::Baseline));
  text = replaceAll(text, "$AVXVNNI", tierBit(Tier::AvxVnni));
  text = replaceAll(text, "$AMX", tierBit(Tier::Amx));
  return replaceAll(text, "$AVX512VNNI", tierBit(Tier::Avx512));
}

/// What all processors have needs no register to be read.
static std::string detectionOfArm(const CpuOptions &options) {
  std::string text =
      options.tiers.back() == Tier::Neon ? kDetectNothing : kDetectArm;
  text = replaceAll(text, "$NEON", tierBit(Tier::Neon));
  return replaceAll(text, "$I8MM", tierBit(Tier::I8mm));
}

static std::string detection(const CpuOptions &options) {
  return familyOf(options.tiers.front()) == Family::Arm
             ? detectionOfArm(options)
             : detectionOfX86();
}

/// From the strongest compiled tier down: the first that is present.
static std::string choices(const runtime::Interface &interface,
                           const CpuOptions &options) {
  std::string text, arguments = callArguments(interface, options);
  for (size_t i = options.tiers.size(); i-- > 0;) {
    std::string id = std::to_string(i);
    std::string next = i ? "test" + std::to_string(i - 1) : "tooOld";
    if (i + 1 != options.tiers.size())
      text += "test" + id + ":\n";
    Tier needed = instructionsOf(options.tiers[i], options);
    text += "  %bit" + id + " = and i32 %cpu, " + tierBit(needed) + "\n  %can" +
            id + " = icmp ne i32 %bit" + id + ", 0\n  br i1 %can" + id +
            ", label %tier" + id + ", label %" + next + "\ntier" + id +
            ":\n  call void @" + entryName("SYM", options.tiers[i]) + "(" +
            arguments + ")\n  ret i32 0\n";
  }
  return text;
}

static std::string declarations(const runtime::Interface &interface,
                                const CpuOptions &options) {
  std::string text, types;
  size_t count = interface.inputPointers() + interface.outputPointers() +
                 (options.threads == 1 ? 1 : 3);
  for (size_t i = 0; i < count; ++i)
    types += i ? ", ptr" : "ptr";
  for (Tier tier : options.tiers)
    text += "declare void @" + entryName("SYM", tier) + "(" + types + ")\n";
  return text;
}

static std::string escaped(llvm::StringRef bytes) {
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    text += "\\";
    text += llvm::hexdigit(byte >> 4);
    text += llvm::hexdigit(byte & 15);
  }
  return text;
}

static std::string byteArray(const std::string &name,
                             const std::string &attributes,
                             const std::string &bytes,
                             const std::string &tail) {
  return "@" + name + " = " + attributes + " [" + std::to_string(bytes.size()) +
         " x i8] c\"" + escaped(bytes) + "\"" + tail + "\n";
}

/// An ELF note: name size, descriptor size, type, name, descriptor, each
/// padded to four bytes.
static std::string noteBytes(const std::string &text) {
  std::string note;
  auto word = [&](uint32_t value) {
    char bytes[4];
    llvm::support::endian::write32le(bytes, value);
    note.append(bytes, 4);
  };
  word(6);
  word(static_cast<uint32_t>(text.size()));
  word(1);
  note.append("Tally\0\0\0", 8);
  note += text;
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

std::string tally::cpu::glueText(const runtime::Interface &interface,
                                 const std::vector<NumberLimit> &limits,
                                 const CpuOptions &options) {
  std::string json = runtime::toJson(interface);
  std::string text =
      declarations(interface, options) + detection(options) + kRun;
  if (options.threads > 1)
    text += replaceAll(kParallel, "$PARTS", std::to_string(mostParts(options)));
  text = replaceAll(text, "$RUN", runSignature(options));
  text = replaceAll(text, "$LOADS", pointerLoads(interface));
  text = replaceAll(text, "$NUMBERS", numberChecks(limits));
  text = replaceAll(text, "$CHOICES", choices(interface, options));
  bool hasStatic = options.staticArena && interface.arenaBytes > 0;
  text = replaceAll(text, "$STATIC_ARENA", hasStatic ? "@SYM_arena" : "null");
  text = replaceAll(text, "$NEEDS_ARENA",
                    interface.arenaBytes > 0 ? "true" : "false");
  if (hasStatic)
    text += "@SYM_arena = internal global [" +
            std::to_string(interface.arenaBytes) +
            " x i8] zeroinitializer, align 64\n";
  if (options.selfTest)
    text += selfTestText(interface, *options.selfTest);
  text += byteArray("SYM_interface", "constant", json + '\0', "");
  text += byteArray("SYM_note", "internal constant", noteBytes(json),
                    ", section \".note.tally\", align 4");
  text += "@llvm.used = appending global [1 x ptr] [ptr @SYM_note], section "
          "\"llvm.metadata\"\n";
  return replaceAll(text, "@SYM_", "@" + options.symbol + "_");
}
