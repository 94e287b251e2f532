//===- SelfTest.cpp - an artifact that can check itself -------------------===//
//
// One fill and one hash loop, parameterised by the element, are enough: an
// element is made from a 64-bit word by integer operations and at most one
// exact conversion, so no tier and no library can change it.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/SelfTest.h"
#include "tally/runtime/StateLayout.h"

#include "llvm/ADT/StringExtras.h"

using namespace tally;
using namespace tally::cpu;
using eval::Element;

static int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

int64_t tally::cpu::selfTestBytes(const runtime::Interface &interface) {
  int64_t bytes = roundUp(interface.arenaBytes);
  for (const auto *list : {&interface.inputs, &interface.outputs})
    for (const runtime::TensorInterface &tensor : *list)
      bytes += roundUp(tensor.byteCount());
  for (int64_t slot : interface.slotBytes)
    bytes += roundUp(slot);
  return bytes;
}

//===----------------------------------------------------------------------===//
// The hash
//===----------------------------------------------------------------------===//

namespace {
/// Where an element's NaNs begin, without the sign, and the canonical one.
struct NanBits {
  uint64_t infinity, quiet;
};
} // namespace

static std::optional<NanBits> nanBits(Element element) {
  switch (element) {
  case Element::F16:
    return NanBits{0x7c00, 0x7e00};
  case Element::BF16:
    return NanBits{0x7f80, 0x7fc0};
  case Element::F32:
    return NanBits{0x7f800000, 0x7fc00000};
  case Element::F64:
    return NanBits{0x7ff0000000000000, 0x7ff8000000000000};
  default:
    return std::nullopt;
  }
}

static uint64_t elementWord(const eval::Tensor &tensor, int64_t i) {
  int64_t size = eval::byteSize(tensor.element);
  uint64_t word = 0;
  std::memcpy(&word, tensor.storage.get() + i * size, size);
  uint64_t sign = uint64_t(1) << (8 * size - 1);
  auto nan = nanBits(tensor.element);
  return nan && (word & ~sign) > nan->infinity ? nan->quiet : word;
}

uint64_t tally::cpu::outputHash(const std::vector<eval::Tensor> &outputs) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const eval::Tensor &tensor : outputs)
    for (int64_t i = 0, e = tensor.count(); i < e; ++i)
      hash = (hash ^ elementWord(tensor, i)) * 0x100000001b3;
  return hash;
}

uint64_t tally::cpu::joinHashes(uint64_t hash, uint64_t next) {
  return (hash ^ next) * 0x100000001b3;
}

//===----------------------------------------------------------------------===//
// The code
//===----------------------------------------------------------------------===//

namespace {
/// A tensor in memory: rows of equal length, each `pitch` bytes behind the
/// last. A dense one has one row.
struct Layout {
  const runtime::TensorInterface &about;
  int64_t rows = 1, pitch = 0;
};
} // namespace

/// IR that makes %place, where element %i is, in elements.
static std::string elementPlace(const Layout &layout) {
  if (layout.rows == 1)
    return "  %place = add i64 %i, 0\n";
  int64_t length = eval::elementCount(layout.about.shape) / layout.rows;
  int64_t pitch = layout.pitch / eval::byteSize(layout.about.element);
  return "  %row = udiv i64 %i, " + std::to_string(length) +
         "\n  %column = urem i64 %i, " + std::to_string(length) +
         "\n  %above = mul i64 %row, " + std::to_string(pitch) +
         "\n  %place = add i64 %above, %column\n";
}

static std::string bitsType(Element element) {
  return "i" + std::to_string(8 * eval::byteSize(element));
}

/// IR that turns %word into %value of the element's type.
static std::string makeElement(const runtime::TensorInterface &about) {
  std::string type = bitsType(about.element);
  auto unitFloat = [&](const char *name, int bits) {
    std::string b = std::to_string(64 - bits);
    return "  %top = lshr i64 %word, " + b +
           "\n  %whole = uitofp i64 %top to " + name + "\n  %scaled = fmul " +
           name + " %whole, " +
           (bits == 53 ? "0x3CB0000000000000" : "0x3E80000000000000") +
           "\n  %value = fsub " + name + " %scaled, 1.0\n";
  };
  switch (about.element) {
  case Element::F64:
    return unitFloat("double", 53);
  case Element::F32:
    return unitFloat("float", 24);
  default:
    break;
  }
  int64_t low = about.quant ? about.quant->qmin : eval::minValue(about.element);
  int64_t high =
      about.quant ? about.quant->qmax : eval::maxValue(about.element);
  if (!about.quant && eval::byteSize(about.element) > 2) {
    low = 0;
    high = 1;
  }
  return "  %wide = zext i64 %word to i128\n  %spread = mul i128 %wide, " +
         std::to_string(high - low + 1) +
         "\n  %upper = lshr i128 %spread, 64\n"
         "  %step = trunc i128 %upper to i64\n  %number = add i64 %step, " +
         std::to_string(low) +
         (type == "i64" ? "\n  %value = add i64 %number, 0\n"
                        : "\n  %value = trunc i64 %number to " + type + "\n");
}

static std::string valueType(Element element) {
  if (element == Element::F32)
    return "float";
  return element == Element::F64 ? "double" : bitsType(element);
}

static std::string fillFunction(const Layout &layout, size_t index) {
  const runtime::TensorInterface &about = layout.about;
  std::string id = std::to_string(index), type = valueType(about.element);
  uint64_t first = (uint64_t(index) << 40) + 1;
  return "define internal void @SYM_fill" + id + R"((ptr %to) noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %n = add i64 %i, )" +
         std::to_string(first) + R"(
  %s0 = mul i64 %n, -7046029254386353131
  %a0 = lshr i64 %s0, 30
  %a1 = xor i64 %s0, %a0
  %a2 = mul i64 %a1, -4658895280553007687
  %b0 = lshr i64 %a2, 27
  %b1 = xor i64 %a2, %b0
  %b2 = mul i64 %b1, -7723592293110705685
  %c0 = lshr i64 %b2, 31
  %word = xor i64 %b2, %c0
)" + makeElement(about) +
         elementPlace(layout) + "  %at = getelementptr " + type +
         ", ptr %to, i64 %place\n  store " + type +
         " %value, ptr %at\n  %next = add i64 %i, 1\n" +
         "  %more = icmp ult i64 %next, " +
         std::to_string(eval::elementCount(about.shape)) + R"(
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";
}

static std::string canonical(Element element) {
  auto nan = nanBits(element);
  std::string type = bitsType(element);
  std::string widen = type == "i64"
                          ? "  %word = add i64 %chosen, 0\n"
                          : "  %word = zext " + type + " %chosen to i64\n";
  if (!nan)
    return "  %chosen = add " + type + " %bits, 0\n" + widen;
  std::string mask = std::to_string(
      (int64_t)((uint64_t(1) << (8 * eval::byteSize(element) - 1)) - 1));
  return "  %magnitude = and " + type + " %bits, " + mask +
         "\n  %isNan = icmp ugt " + type + " %magnitude, " +
         std::to_string(nan->infinity) + "\n  %chosen = select i1 %isNan, " +
         type + " " + std::to_string(nan->quiet) + ", " + type + " %bits\n" +
         widen;
}

static std::string hashFunction(const Layout &layout, size_t index) {
  const runtime::TensorInterface &about = layout.about;
  std::string id = std::to_string(index), type = bitsType(about.element);
  return "define internal i64 @SYM_hash" + id +
         R"((ptr %from, i64 %start) noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %h = phi i64 [ %start, %entry ], [ %hash, %loop ]
)" + elementPlace(layout) +
         "  %at = getelementptr " + type +
         ", ptr %from, i64 %place\n  %bits = load " + type + ", ptr %at\n" +
         canonical(about.element) + R"(  %mixed = xor i64 %h, %word
  %hash = mul i64 %mixed, 1099511628211
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, )" +
         std::to_string(eval::elementCount(about.shape)) + R"(
  br i1 %more, label %loop, label %done
done:
  ret i64 %hash
}
)";
}

static bool isEmpty(const runtime::TensorInterface &tensor) {
  return eval::elementCount(tensor.shape) == 0;
}

static constexpr const char *kBasis = "-3750763034362895579";

namespace {
/// Writes the body of the test: places every buffer in the workspace.
class BodyWriter {
public:
  explicit BodyWriter(const runtime::Interface &interface)
      : interface(interface) {}
  /// Everything up to the run; then its hash, whose name is the result.
  void prepare();
  std::string hash();

  std::string functions, text, hashing, arena;

private:
  std::string place(int64_t bytes);
  std::string behind(const std::string &pointer, int64_t bytes);
  void remember(const char *list, size_t index, const std::string &pointer);
  void fill(const Layout &layout, size_t index, const std::string &pointer);
  void placeStates();
  std::string hashOf(const Layout &layout, const std::string &pointer,
                     const std::string &start);
  std::string newName(const char *kind) {
    return kind + std::to_string(count++);
  }

  const runtime::Interface &interface;
  std::vector<std::string> outputs, newValues;
  int64_t offset = 0;
  int count = 0;
};
} // namespace

std::string BodyWriter::behind(const std::string &pointer, int64_t bytes) {
  std::string name = newName("%p");
  text += "  " + name + " = getelementptr i8, ptr " + pointer + ", i64 " +
          std::to_string(bytes) + "\n";
  return name;
}

std::string BodyWriter::place(int64_t bytes) {
  std::string name = behind("%workspace", offset);
  offset += roundUp(bytes);
  return name;
}

void BodyWriter::remember(const char *list, size_t index,
                          const std::string &pointer) {
  std::string slot = newName("%slot");
  text += "  " + slot + " = getelementptr ptr, ptr " + list + ", i64 " +
          std::to_string(index) + "\n  store ptr " + pointer + ", ptr " + slot +
          "\n";
}

void BodyWriter::fill(const Layout &layout, size_t index,
                      const std::string &pointer) {
  if (isEmpty(layout.about))
    return;
  functions += fillFunction(layout, index);
  text += "  call void @SYM_fill" + std::to_string(index) + "(ptr " + pointer +
          ")\n";
}

/// As a context whose values were set (runtime/StateLayout.h).
void BodyWriter::placeStates() {
  std::vector<std::string> slots;
  for (int64_t bytes : interface.slotBytes)
    slots.push_back(place(bytes));
  size_t in = interface.inputs.size(), out = interface.outputs.size();
  for (auto [i, state] : llvm::enumerate(interface.states)) {
    int64_t home = runtime::homeOf(interface, state);
    std::string old = behind(slots[state.current], home);
    std::string next = behind(slots[state.next], home);
    if (state.isRead) {
      fill({state.tensor, state.rows, state.pitch}, interface.inputs.size() + i,
           old);
      remember("%inputs", in++, old);
    }
    newValues.push_back(behind(next, state.advance));
    if (state.isWritten)
      remember("%outputs", out++, behind(next, state.target));
  }
}

void BodyWriter::prepare() {
  arena = place(interface.arenaBytes);
  for (auto [i, tensor] : llvm::enumerate(interface.inputs)) {
    std::string at = place(tensor.byteCount());
    remember("%inputs", i, at);
    fill({tensor}, i, at);
  }
  for (auto [i, tensor] : llvm::enumerate(interface.outputs)) {
    outputs.push_back(place(tensor.byteCount()));
    remember("%outputs", i, outputs.back());
  }
  placeStates();
}

std::string BodyWriter::hashOf(const Layout &layout, const std::string &pointer,
                               const std::string &start) {
  if (isEmpty(layout.about))
    return start;
  auto index = static_cast<size_t>(count);
  functions += hashFunction(layout, index);
  std::string next = newName("%h");
  hashing += "  " + next + " = call i64 @SYM_hash" + std::to_string(index) +
             "(ptr " + pointer + ", i64 " + start + ")\n";
  return next;
}

std::string BodyWriter::hash() {
  std::string all = kBasis;
  for (auto [tensor, pointer] : llvm::zip(interface.outputs, outputs))
    all = hashOf({tensor}, pointer, all);
  for (auto [state, pointer] : llvm::zip(interface.states, newValues)) {
    if (!state.isWritten)
      continue;
    std::string own =
        hashOf({state.tensor, state.rows, state.pitch}, pointer, kBasis);
    std::string mixed = newName("%m"), next = newName("%h");
    hashing += "  " + mixed + " = xor i64 " + all + ", " + own + "\n  " + next +
               " = mul i64 " + mixed + ", 1099511628211\n";
    all = next;
  }
  return all;
}

std::string tally::cpu::selfTestText(const runtime::Interface &interface,
                                     uint64_t expected) {
  BodyWriter body(interface);
  body.prepare();
  std::string hash = body.hash();
  auto slots = [](size_t count) {
    return std::to_string(std::max<size_t>(count, 1));
  };
  return body.functions + R"(
define i32 @SYM_selftest(ptr %workspace) {
entry:
  %inputs = alloca [)" +
         slots(interface.inputPointers()) + R"( x ptr], align 8
  %outputs = alloca [)" +
         slots(interface.outputPointers()) + R"( x ptr], align 8
  %address = ptrtoint ptr %workspace to i64
  %low = and i64 %address, 63
  %isNull = icmp eq ptr %workspace, null
  %isUneven = icmp ne i64 %low, 0
  %isBad = or i1 %isNull, %isUneven
  br i1 %isBad, label %refuse, label %run
run:
)" + body.text +
         "  %status = call i32 @SYM_run(ptr %inputs, ptr %outputs, ptr " +
         body.arena + R"()
  %ran = icmp eq i32 %status, 0
  br i1 %ran, label %compare, label %failed
compare:
)" + body.hashing +
         "  %equal = icmp eq i64 " + hash + ", " +
         std::to_string(static_cast<int64_t>(expected)) + R"(
  %verdict = select i1 %equal, i32 0, i32 3
  ret i32 %verdict
failed:
  ret i32 %status
refuse:
  ret i32 1
}
)";
}
