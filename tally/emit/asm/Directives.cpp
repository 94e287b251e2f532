//===- Directives.cpp - the directives of assembly ------------------------===//

#include "tally/emit/asm/Directives.h"
#include "tally/emit/asm/ParseInstruction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tally;
using namespace tally::isa;

std::optional<int64_t> tally::isa::sectionOf(std::string_view directive) {
  if (directive == ".text")
    return kTextSpace;
  if (directive == ".constants")
    return kConstantsRegion;
  if (directive == ".context")
    return kContextRegion;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Bytes of one value; 0 for directives of another form.
static int64_t valueBytes(std::string_view directive) {
  return directive == ".byte"   ? 1
         : directive == ".half" ? 2
         : directive == ".word" ? 4
         : directive == ".quad" ? 8
                                : 0;
}

bool tally::isa::isData(std::string_view directive) {
  return valueBytes(directive) > 0 || directive == ".zero" ||
         directive == ".align";
}

/// The only number of .zero and .align.
static Result<int64_t> plainNumber(const std::string &directive, Line &line,
                                   int64_t least, int64_t most) {
  std::string word = line.take().text;
  std::optional<int64_t> number = numberOf(word);
  if (number && *number >= least && *number <= most)
    return *number;
  return asmFailure("ASM-5", "'" + directive + "' takes a number from " +
                                 std::to_string(least) + " to " +
                                 std::to_string(most) + ", not '" + word + "'");
}

Result<int64_t> tally::isa::dataBytes(const std::string &directive, Line line,
                                      int64_t offset) {
  if (int64_t bytes = valueBytes(directive)) {
    int64_t values = 1;
    while (!line.atEnd())
      values += line.take().text == "," ? 1 : 0;
    return values * bytes;
  }
  Result<int64_t> number = plainNumber(
      directive, line, 1, directive == ".align" ? 65536 : kMaxSection);
  if (!number || directive == ".zero")
    return number;
  if (!llvm::isPowerOf2_64(uint64_t(*number)))
    return asmFailure("ASM-5", "'.align' takes a power of two");
  return int64_t(llvm::alignTo(uint64_t(offset), uint64_t(*number))) - offset;
}

Status tally::isa::dataValues(const std::string &directive, Line &line,
                              const Labels &labels, int64_t offset,
                              std::vector<uint8_t> &bytes) {
  int64_t size = valueBytes(directive);
  if (size == 0) {
    bytes.resize(size_t(*dataBytes(directive, line, offset)));
    line.take();
  }
  while (size > 0) {
    Result<int64_t> value = takeExpression(line, labels);
    if (!value)
      return value.takeError();
    bool fits = size == 8 || llvm::isIntN(unsigned(8 * size), *value) ||
                llvm::isUIntN(unsigned(8 * size), uint64_t(*value));
    if (!fits)
      return asmFailure("ASM-5", std::to_string(*value) + " has more than " +
                                     std::to_string(8 * size) + " bits");
    for (int64_t i = 0; i < size; ++i)
      bytes.push_back(uint8_t(uint64_t(*value) >> (8 * i)));
    if (!line.takeSign(","))
      break;
  }
  if (line.atEnd())
    return Status::success();
  return asmFailure("ASM-3", "'" + line.peek().text +
                                 "' is more than the line can have");
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static Result<int64_t> number(Line &line) { return takeExpression(line, {}); }

static Status readNumber(Line &line, int64_t &value) {
  Result<int64_t> taken = number(line);
  if (!taken)
    return taken.takeError();
  value = *taken;
  return Status::success();
}

static Status readMachine(Line &line, const machine::Machine &machine) {
  std::string name = line.take().text;
  // A name may hold minus signs, which are signs of the language.
  while (line.takeSign("-"))
    name += "-" + line.take().text;
  if (name == machine.name)
    return Status::success();
  return asmFailure("ASM-5",
                    "the text is for machine '" + name + "', not for '" +
                        machine.name + "'",
                    "give that machine's file with --machine");
}

/// "1x3x224x224", or "any" where no shape is known.
static Status readShape(const std::string &word, std::vector<int64_t> &shape) {
  if (word == "any")
    return Status::success();
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(word).split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t size = 0;
    if (!llvm::to_integer(part, size, 10) || size < 0)
      return asmFailure("ASM-5", "'" + word + "' is no shape, as 1x8x8x3");
    shape.push_back(size);
  }
  return Status::success();
}

/// TYPE SHAPE of a buffer or state.
static Status readType(Line &line, machine::ElementType &type,
                       std::vector<int64_t> &shape) {
  std::string word = line.take().text;
  for (machine::ElementType each : machine::allElementTypes)
    if (machine::elementTypeName(each) == word) {
      type = each;
      return readShape(line.take().text, shape);
    }
  return asmFailure("ASM-2", "there is no element type '" + word + "'");
}

static Status readScale(Line &line, double &scale) {
  return llvm::to_float(line.take().text, scale)
             ? Status::success()
             : asmFailure("ASM-5", "scale is followed by a number");
}

/// TYPE SHAPE, then `bytes N`, `align N`, `scale S`, `zero Z`, `bool` in any
/// order.
static Status readBuffer(Line &line, Buffer &buffer) {
  buffer.name = line.take().text;
  if (Status status = readType(line, buffer.type, buffer.shape); !status)
    return status;
  buffer.bytes = elementBytes(buffer.type);
  for (int64_t size : buffer.shape)
    if (llvm::MulOverflow(buffer.bytes, size, buffer.bytes))
      return asmFailure("ASM-5", "buffer '" + buffer.name + "' is too large");
  while (!line.atEnd()) {
    std::string word = line.take().text;
    Status status = Status::success();
    if (word == "bytes")
      status = readNumber(line, buffer.bytes);
    else if (word == "align")
      status = readNumber(line, buffer.alignment);
    else if (word == "zero")
      status = readNumber(line, buffer.zero);
    else if (word == "scale")
      status = readScale(line, buffer.scale);
    else if (word == "bool")
      buffer.isBool = true;
    else
      return asmFailure(
          "ASM-5", "'" + word + "' is not bytes, align, scale, zero or bool");
    if (!status)
      return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static constexpr std::string_view kBufferDirectives[] = {
    ".input", ".output", ".state.old", ".state.new", ".state.overwritten"};

std::string_view tally::isa::bufferDirective(BufferUse use) {
  return kBufferDirectives[size_t(use)];
}

/// BYTES, and the place whose slot this one has after a call.
static Status readSlot(Line &line, Program &program) {
  if (Status status = readNumber(line, program.slots.emplace_back()); !status)
    return status;
  if (!line.takeSign(","))
    return asmFailure("ASM-5", ".slot BYTES, PLACE is meant");
  return readNumber(line, program.commit.emplace_back());
}

static Status readPolicy(Line &line, StatePolicy &policy) {
  std::string word = line.take().text;
  for (size_t i = 0; i < policyNames().size(); ++i)
    if (word == policyNames()[i]) {
      policy = StatePolicy(i);
      return Status::success();
    }
  return asmFailure("ASM-5", "there is no policy '" + word + "' of a state");
}

static Status readInitial(Line &line, State &state) {
  return state.setInitial(line.take().text)
             ? Status::success()
             : asmFailure("ASM-5", "initial is followed by one element of '" +
                                       state.name +
                                       "', or all of it, in base 64");
}

using NamedNumber = std::pair<std::string_view, int64_t *>;

/// What the state's policy, which has been read, needs.
static std::vector<NamedNumber> numbersOfPolicy(State &state) {
  if (state.policy == StatePolicy::Ring)
    return {{"frames", &state.ring.frames},
            {"pitch", &state.ring.pitch},
            {"enters", &state.ring.enters},
            {"runs", &state.ring.runs}};
  if (state.policy == StatePolicy::Append)
    return {{"scalar", &state.append.scalar},
            {"runs", &state.append.runs},
            {"pitch", &state.append.pitch},
            {"step", &state.append.step},
            {"bytes", &state.append.bytes}};
  if (state.policy == StatePolicy::Counter)
    return {{"scalar", &state.counter.scalar},
            {"most", &state.counter.most},
            {"step", &state.counter.step},
            {"last", &state.counter.last}};
  return {};
}

/// The number of a state that `word` means, or null.
static int64_t *numberOf(State &state, const std::string &word) {
  std::vector<NamedNumber> numbers = numbersOfPolicy(state);
  numbers.insert(numbers.end(), {{"current", &state.current},
                                 {"next", &state.next},
                                 {"zero", &state.zero},
                                 {"written", &state.writtenBytes},
                                 {"copied", &state.copiedBytes}});
  for (auto [name, number] : numbers)
    if (word == name)
      return number;
  return nullptr;
}

static Status readStateOption(Line &line, State &state) {
  std::string word = line.take().text;
  if (int64_t *number = numberOf(state, word))
    return readNumber(line, *number);
  if (word == "bool") {
    state.isBool = true;
    return Status::success();
  }
  if (word == "down" && state.policy == StatePolicy::Ring) {
    state.ring.down = true;
    return Status::success();
  }
  if (word == "policy")
    return readPolicy(line, state.policy);
  if (word == "scale")
    return readScale(line, state.scale);
  if (word == "initial")
    return readInitial(line, state);
  if (word != "reason")
    return asmFailure("ASM-5", "'" + word + "' is nothing of a state's");
  state.reason = line.take().text;
  return Status::success();
}

/// NAME TYPE SHAPE, then options in any order.
static Status readState(Line &line, State &state) {
  state.name = line.take().text;
  if (Status status = readType(line, state.type, state.shape); !status)
    return status;
  while (!line.atEnd())
    if (Status status = readStateOption(line, state); !status)
      return status;
  return Status::success();
}

static Status readStateHash(Line &line, uint64_t &hash) {
  std::string word = line.take().text;
  return llvm::StringRef(word).getAsInteger(16, hash)
             ? asmFailure("ASM-5", "'" + word + "' is no hexadecimal number")
             : Status::success();
}

void tally::isa::joinStates(Program &program) {
  for (State &state : program.states)
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      const Buffer &buffer = program.buffers[i];
      if (!isOfState(buffer.use) || buffer.name != state.name)
        continue;
      if (isRead(buffer.use))
        state.oldBuffer = int64_t(i);
      if (isWritten(buffer.use))
        state.newBuffer = int64_t(i);
    }
}

//===----------------------------------------------------------------------===//
// Other directives
//===----------------------------------------------------------------------===//

static Status readScalar(Line &line, RuntimeScalar &scalar) {
  scalar.name = line.take().text;
  if (Status status = readNumber(line, scalar.offset); !status)
    return status;
  if (!line.takeSign(","))
    return asmFailure("ASM-5", ".scalar NAME OFFSET, LEAST, GREATEST is meant");
  if (Status status = readNumber(line, scalar.least); !status)
    return status;
  if (!line.takeSign(","))
    return asmFailure("ASM-5", ".scalar NAME OFFSET, LEAST, GREATEST is meant");
  return readNumber(line, scalar.greatest);
}

static Status readSymbol(Line &line, Symbol &symbol) {
  symbol.name = line.take().text;
  std::string space = line.take().text;
  std::optional<int64_t> known = spaceOf(space);
  if (!known)
    return asmFailure("ASM-2", "there is no space '" + space + "'");
  symbol.space = *known;
  if (Status status = readNumber(line, symbol.offset); !status)
    return status;
  if (!line.takeSign(","))
    return asmFailure("ASM-5", ".symbol NAME SPACE OFFSET, BYTES is meant");
  return readNumber(line, symbol.bytes);
}

static Status readArena(Line &line, Program &program) {
  if (Status status = readNumber(line, program.arenaBytes); !status)
    return status;
  return line.takeSign(",") ? readNumber(line, program.arenaAlignment)
                            : Status::success();
}

/// Bytes of a memory of which the machine has `most`.
static Status readNeed(Line &line, const std::string &directive, int64_t most,
                       DirectiveTarget target, std::optional<int64_t> &need) {
  if (Status status = readNumber(line, need.emplace()); !status)
    return status;
  if (*need < 0 || *need > most)
    return asmFailure(
        "ASM-5", "'" + directive + "' takes a number from 0 to " +
                     std::to_string(most) + " bytes, those of machine '" +
                     target.machine.name + "', not " + std::to_string(*need));
  return Status::success();
}

Status tally::isa::readDirective(const std::string &directive, Line &line,
                                 DirectiveTarget target) {
  Program &program = target.program;
  if (directive == ".machine")
    return readMachine(line, target.machine);
  if (directive == ".producer") {
    program.producer = line.take().text;
    return Status::success();
  }
  for (size_t use = 0; use < std::size(kBufferDirectives); ++use)
    if (directive == kBufferDirectives[use]) {
      Buffer &buffer = program.buffers.emplace_back();
      buffer.use = BufferUse(use);
      return readBuffer(line, buffer);
    }
  if (directive == ".slot")
    return readSlot(line, program);
  if (directive == ".state")
    return readState(line, program.states.emplace_back());
  if (directive == ".state.hash")
    return readStateHash(line, program.stateHash);
  if (directive == ".arena")
    return readArena(line, program);
  if (directive == ".scalar")
    return readScalar(line, program.scalars.emplace_back());
  if (directive == ".symbol")
    return readSymbol(line, program.symbols.emplace_back());
  if (directive == ".sram")
    return readNeed(line, directive, target.machine.sram.bytes, target,
                    target.stated.sramBytes);
  if (directive == ".accumulators")
    return readNeed(line, directive, target.machine.accumulators.bytes, target,
                    target.stated.accumulatorBytes);
  return asmFailure("ASM-2", "there is no directive '" + directive + "'");
}
