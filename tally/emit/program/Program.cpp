//===- Program.cpp - whether a program fits together ----------------------===//

#include "tally/emit/program/Program.h"
#include "tally/emit/encode/Encode.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tally;
using namespace tally::isa;

std::string_view Program::nodeOf(int64_t index) const {
  auto after = std::ranges::upper_bound(nodes, index, {}, &NodeRange::first);
  if (after == nodes.begin())
    return {};
  const NodeRange &node = *std::prev(after);
  return index < node.first + node.count ? std::string_view(node.name)
                                         : std::string_view();
}

int64_t Program::lineOf(int64_t index) const {
  auto after = std::ranges::upper_bound(lines, index, {}, &SourceLine::first);
  return after == lines.begin() ? 0 : std::prev(after)->line;
}

std::optional<int64_t> Program::regionBytes(int64_t region) const {
  switch (region) {
  case kConstantsRegion:
    return int64_t(constants.size());
  case kArenaRegion:
    return arenaBytes;
  case kContextRegion:
    return int64_t(context.size());
  default:
    break;
  }
  int64_t buffer = region - kFirstCallerRegion;
  if (buffer < 0 || buffer >= int64_t(buffers.size()))
    return std::nullopt;
  return buffers[size_t(buffer)].bytes;
}

static Diagnostic refuse(const char *rule, std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  return failure;
}

static Status checkText(const std::vector<uint32_t> &text) {
  if (text.empty())
    return refuse("PROG-3", "the program has no instruction");
  for (size_t i = 0; i < text.size(); ++i)
    if (Result<Instruction> instruction = decode(text[i]); !instruction)
      return refuse("PROG-3", "instruction " + std::to_string(i) + ": " +
                                  instruction.error().message);
  return Status::success();
}

static bool isPowerOfTwo(int64_t number) {
  return number > 0 && llvm::isPowerOf2_64(uint64_t(number));
}

static Status checkBuffers(const Program &program) {
  constexpr size_t most = size_t(kSram - kFirstCallerRegion);
  if (program.buffers.size() > most)
    return refuse("PROG-4", std::to_string(program.buffers.size()) +
                                " buffers are more than the " +
                                std::to_string(most) + " regions for them");
  std::set<std::string> names;
  for (const Buffer &buffer : program.buffers) {
    if (buffer.name.empty() || !names.insert(titleOf(buffer)).second)
      return refuse("PROG-4", "two buffers are called '" + titleOf(buffer) +
                                  "', or one has no name");
    if (!isPowerOfTwo(buffer.alignment) || buffer.bytes < 0)
      return refuse("PROG-4", "buffer '" + buffer.name + "' has " +
                                  std::to_string(buffer.bytes) +
                                  " bytes and alignment " +
                                  std::to_string(buffer.alignment));
    bool fits = std::isfinite(buffer.scale) && buffer.scale >= 0 &&
                std::ranges::all_of(buffer.shape,
                                    [](int64_t size) { return size >= 0; });
    if (buffer.isBool && buffer.type != machine::ElementType::U8)
      return refuse("PROG-4", "buffer '" + buffer.name +
                                  "' holds truths that are no bytes");
    if (!fits)
      return refuse("PROG-4", "buffer '" + buffer.name +
                                  "' has a negative dimension, or a scale that "
                                  "is negative or not finite");
  }
  if (!isPowerOfTwo(program.arenaAlignment) || program.arenaBytes < 0)
    return refuse("PROG-4", "the arena has " +
                                std::to_string(program.arenaBytes) +
                                " bytes and alignment " +
                                std::to_string(program.arenaAlignment));
  return Status::success();
}

static Status checkScalars(const Program &program) {
  for (const RuntimeScalar &scalar : program.scalars) {
    bool fits = scalar.offset >= 0 && scalar.offset % 4 == 0 &&
                scalar.offset <= int64_t(program.context.size()) - 4;
    if (!fits)
      return refuse("PROG-4",
                    "run-time scalar '" + scalar.name + "' at offset " +
                        std::to_string(scalar.offset) +
                        " is no word of the context of " +
                        std::to_string(program.context.size()) + " bytes");
    if (scalar.least > scalar.greatest || !llvm::isInt<32>(scalar.least) ||
        !llvm::isInt<32>(scalar.greatest))
      return refuse("PROG-4", "run-time scalar '" + scalar.name +
                                  "' has the range " +
                                  std::to_string(scalar.least) + " to " +
                                  std::to_string(scalar.greatest));
  }
  return Status::success();
}

/// Bytes of the space a symbol may name.
static std::optional<int64_t> bytesOf(const Program &program, int64_t space) {
  if (space == kTextSpace)
    return int64_t(program.text.size()) * kInstructionBytes;
  if (space == kSram)
    return program.requirements.sramBytes;
  if (space == kAccumulators)
    return program.requirements.accumulatorBytes;
  return program.regionBytes(space);
}

static Status checkSymbols(const Program &program) {
  for (const Symbol &symbol : program.symbols) {
    std::optional<int64_t> size = bytesOf(program, symbol.space);
    if (!size || symbol.offset < 0 || symbol.bytes < 0 ||
        symbol.offset > *size || symbol.bytes > *size - symbol.offset)
      return refuse("PROG-4",
                    "symbol '" + symbol.name + "', " +
                        std::to_string(symbol.bytes) + " bytes from " +
                        std::to_string(symbol.offset) + " of space " +
                        std::to_string(symbol.space) + ", lies outside of it");
  }
  return Status::success();
}

static Status checkNodes(const Program &program) {
  int64_t past = 0, size = int64_t(program.text.size());
  for (const NodeRange &node : program.nodes) {
    if (node.first < past || node.count < 1 || node.first > size ||
        node.count > size - node.first)
      return refuse("PROG-4",
                    "node '" + node.name + "', " + std::to_string(node.count) +
                        " instructions from " + std::to_string(node.first) +
                        ", is not behind the one before it, or "
                        "beyond the text");
    past = node.first + node.count;
  }
  return Status::success();
}

static Status checkLines(const Program &program) {
  int64_t least = 0;
  for (const SourceLine &line : program.lines) {
    if (line.first < least || line.first >= int64_t(program.text.size()) ||
        line.line < 0)
      return refuse("PROG-4", "source line " + std::to_string(line.line) +
                                  " from instruction " +
                                  std::to_string(line.first) +
                                  " on is not behind the one before it, or "
                                  "beyond the text");
    least = line.first + 1;
  }
  return Status::success();
}

Status tally::isa::checkProgram(const Program &program) {
  if (Status status = checkText(program.text); !status)
    return status;
  if (Status status = checkBuffers(program); !status)
    return status;
  if (Status status = checkStates(program); !status)
    return status;
  if (Status status = checkScalars(program); !status)
    return status;
  if (Status status = checkSymbols(program); !status)
    return status;
  if (Status status = checkNodes(program); !status)
    return status;
  return checkLines(program);
}
