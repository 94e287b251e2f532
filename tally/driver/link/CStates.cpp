//===- CStates.cpp - states of a compiled model in C ----------------------===//
//
// A table says where each state is and how it moves; the functions are the same
// for every model but for a prefix and some numbers. So their text is a
// template with '@' for the prefix, '$...$' for the numbers.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/link/CStates.h"
#include "tally/runtime/StateLayout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace tally;
using runtime::Interface;
using runtime::StateInterface;

static constexpr char kTable[] = R"(
/* A state in the block: entries of its slots; its rows and how far apart they
   are; how far a run moves it, where a run writes (modulo 2^64), how much it
   touches before and behind; where it begins; its first value, repeated (0
   bytes: the caller gives it). */
struct @_state_ {
  uint64_t current, next, row_bytes, rows, pitch, advance, target, before;
  uint64_t touched, home, slot_bytes, overwritten, initial_bytes;
  const unsigned char *initial;
};

static inline const struct @_state_ *@_about_(uint64_t state) {
$INITIAL$  static const struct @_state_ states[$STATES$] = {
$TABLE$  };
  return &states[state];
}
)";

static constexpr char kAccess[] = R"(
/* Words of the block: entries, cursors, values. */
static inline uint64_t *@_word_(void *block, uint64_t index) {
  return (uint64_t *)block + index;
}

static inline unsigned char *@_slot_(void *block, uint64_t entry) {
  static const uint64_t slots[$SLOTS$] = {$OFFSETS$};
  return (unsigned char *)block + slots[*@_word_(block, 8 + entry)];
}

/* Gives a state the `bytes` bytes of `value`, as often as they fit. */
static inline void @_fill_(void *block, uint64_t state,
                           const unsigned char *value, uint64_t bytes) {
  const struct @_state_ *s = @_about_(state);
  unsigned char *to = @_slot_(block, s->current);
  uint64_t row, i, at = 0;
  *@_word_(block, $CURSORS$ + state) = s->home;
  *@_word_(block, $VALUES$ + state) = 1;
  for (row = 0; row < s->rows; ++row)
    for (i = 0; i < s->row_bytes; ++i, ++at)
      to[s->home + row * s->pitch + i] = value[at % bytes];
}

/* A state by its index, and all states, as before the first run. Every block
   begins with @_reset. */
static inline void @_reset_state(void *block, uint64_t state) {
  const struct @_state_ *s = @_about_(state);
  *@_word_(block, $VALUES$ + state) = 0;
  if (s->initial_bytes)
    @_fill_(block, state, s->initial, s->initial_bytes);
}

static inline void @_reset(void *block) {
  static const unsigned char magic[8] = {'T', 'A', 'L', 'L', 'Y', 'S', 'T', '1'};
  uint64_t i;
  for (i = 0; i < 8; ++i)
    *@_word_(block, i) = 0;
  for (i = 0; i < 8; ++i)
    ((unsigned char *)block)[i] = magic[i];
  *@_word_(block, 1) = $HASH$;
  for (i = 0; i < $SLOTS$; ++i)
    *@_word_(block, 8 + i) = i;
  for (i = 0; i < $STATES$; ++i)
    @_reset_state(block, i);
}

/* A state's value, dense, into the block or out of it. Reading returns 3, and
   copies nothing, when @_step would. */
static inline void @_set_state(void *block, uint64_t state, const void *value) {
  const struct @_state_ *s = @_about_(state);
  @_fill_(block, state, (const unsigned char *)value, s->rows * s->row_bytes);
}

static inline int32_t @_get_state(void *block, uint64_t state, void *value) {
  const struct @_state_ *s = @_about_(state);
  const unsigned char *from =
      @_slot_(block, s->current) + *@_word_(block, $CURSORS$ + state);
  uint64_t row, i, at = 0;
  if (*@_word_(block, $VALUES$ + state) != 1)
    return 3;
  for (row = 0; row < s->rows; ++row)
    for (i = 0; i < s->row_bytes; ++i, ++at)
      ((unsigned char *)value)[at] = from[row * s->pitch + i];
  return 0;
}
)";

static constexpr char kStep[] = R"(
/* What a run that succeeded wrote becomes the states' values. */
static inline void @_commit_(void *block) {
  static const uint64_t commit[$SLOTS$] = {$COMMIT$};
  uint64_t before[$SLOTS$], state, i;
  for (i = 0; i < $SLOTS$; ++i)
    before[i] = *@_word_(block, 8 + i);
  for (i = 0; i < $SLOTS$; ++i)
    *@_word_(block, 8 + i) = before[commit[i]];
  for (state = 0; state < $STATES$; ++state) {
    const struct @_state_ *s = @_about_(state);
    uint64_t *cursor = @_word_(block, $CURSORS$ + state);
    uint64_t bytes = (s->rows - 1) * s->pitch + s->row_bytes;
    unsigned char *slot = @_slot_(block, s->current);
    *@_word_(block, $VALUES$ + state) = 1;
    *cursor += s->advance;
    if (*cursor >= s->before && *cursor + s->touched <= s->slot_bytes)
      continue;
    /* The next run would leave the slot: move where it began. */
    for (i = 0; i < bytes && s->home == 0; ++i)
      slot[i] = slot[i + *cursor];
    for (i = bytes; i > 0 && s->home != 0; --i)
      slot[s->home + i - 1] = slot[*cursor + i - 1];
    *cursor = s->home;
  }
}

/* One run on the model's own tensors, which goes on from the states in `block`.
   A block serves one run at a time; give each stream its own. Returns what
   @_run does, and 3 when a state has no value: the caller gives it, or a run
   that failed may have overwritten it. When it returns 1, 2 or 4, nothing was
   written: states are as they were. */
static inline int32_t @_step(const void *const *inputs, void *const *outputs,
                             void *block, void *arena) {
  const void *in[$INPUTS$];
  void *out[$OUTPUTS$];
  uint64_t i, state, inputs_end = $OWNINPUTS$, outputs_end = $OWNOUTPUTS$;
  int32_t result;
  in[0] = 0;
  out[0] = 0;
  for (i = 0; i < inputs_end; ++i)
    in[i] = inputs[i];
  for (i = 0; i < outputs_end; ++i)
    out[i] = outputs[i];
  for (state = 0; state < $STATES$; ++state)
    if (*@_word_(block, $VALUES$ + state) != 1)
      return 3;
$BIND$  for (state = 0; state < $STATES$; ++state)
    if (@_about_(state)->overwritten)
      *@_word_(block, $VALUES$ + state) = 2;
  result = @_run(in, out, arena);
  if (result == 0)
    @_commit_(block);
  if (result == 1 || result == 2 || result == 4)
    for (state = 0; state < $STATES$; ++state)
      *@_word_(block, $VALUES$ + state) = 1;
  return result;
}

)";

static std::string listOf(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

/// The first value: one element when all are the same.
static std::string shortest(const StateInterface &state) {
  if (!state.initial)
    return "";
  const std::string &bytes = *state.initial;
  auto size = static_cast<size_t>(eval::byteSize(state.tensor.element));
  bool isUniform = bytes.size() > size &&
                   std::equal(bytes.begin() + size, bytes.end(), bytes.begin());
  return isUniform ? bytes.substr(0, size) : bytes;
}

static void writeInitial(llvm::raw_ostream &os, const StateInterface &state,
                         size_t index) {
  std::string bytes = shortest(state);
  if (bytes.empty())
    return;
  os << "  static const unsigned char initial" << index << "[] = {";
  for (size_t i = 0; i < bytes.size(); ++i)
    os << (i == 0        ? ""
           : i % 16 == 0 ? ",\n      "
                         : ", ")
       << unsigned(static_cast<unsigned char>(bytes[i]));
  os << "};\n";
}

static void writeEntry(llvm::raw_ostream &os, const Interface &interface,
                       size_t index) {
  const StateInterface &state = interface.states[index];
  size_t initialBytes = shortest(state).size();
  auto modulo = [](int64_t value) {
    return value < 0 ? "(uint64_t)0 - " + std::to_string(-value)
                     : std::to_string(value);
  };
  os << "    {"
     << listOf({state.current, state.next, state.rowBytes(), state.rows,
                state.pitch})
     << ", " << modulo(state.advance) << ", " << modulo(state.target) << ", "
     << listOf({std::max<int64_t>(-state.target, 0), state.touchedBytes(),
                runtime::homeOf(interface, state),
                interface.slotBytes[size_t(state.current)],
                state.isOverwritten(), int64_t(initialBytes)})
     << ", ";
  if (initialBytes)
    os << "initial" << index;
  else
    os << "0";
  os << "},\n";
}

/// The pointers of the states behind the model's own, in SYMBOL_step.
static std::string bindings(const Interface &interface) {
  std::string text;
  for (size_t i = 0; i < interface.states.size(); ++i) {
    const StateInterface &state = interface.states[i];
    std::string number = std::to_string(i);
    auto bind = [&](const char *list, int64_t slot, const char *offset) {
      text += std::string("  ") + list + "_end++] = @_slot_(block, " +
              std::to_string(slot) + ") + (*@_word_(block, $CURSORS$ + " +
              number + ")" + offset + ");\n";
    };
    std::string target = " + @_about_(" + number + ")->target";
    if (state.isRead)
      bind("in[inputs", state.current, "");
    if (state.isWritten)
      bind("out[outputs", state.next, target.c_str());
  }
  return text;
}

/// Numbers and longer pieces by their names in the templates.
static std::map<std::string, std::string> piecesOf(const Interface &interface) {
  runtime::StateLayout layout = runtime::stateLayout(interface);
  std::string initial, table;
  llvm::raw_string_ostream initials(initial), entries(table);
  for (size_t i = 0; i < interface.states.size(); ++i) {
    writeInitial(initials, interface.states[i], i);
    writeEntry(entries, interface, i);
  }
  auto atLeastOne = [](size_t count) {
    return std::to_string(std::max<size_t>(count, 1));
  };
  return {{"INITIAL", initial},
          {"TABLE", table},
          {"STATES", std::to_string(interface.states.size())},
          {"SLOTS", std::to_string(layout.slots.size())},
          {"OFFSETS", listOf(layout.slots)},
          {"COMMIT", listOf(interface.commit)},
          {"CURSORS", std::to_string(layout.cursors / 8)},
          {"VALUES", std::to_string(layout.values / 8)},
          {"HASH", "0x" + llvm::utohexstr(interface.stateHash)},
          {"INPUTS", atLeastOne(interface.inputPointers())},
          {"OUTPUTS", atLeastOne(interface.outputPointers())},
          {"OWNINPUTS", std::to_string(interface.inputs.size())},
          {"OWNOUTPUTS", std::to_string(interface.outputs.size())},
          {"BIND", bindings(interface)}};
}

/// The template with its pieces in, which may have pieces themselves.
static std::string expand(llvm::StringRef text, const std::string &symbol,
                          const std::map<std::string, std::string> &pieces) {
  std::string result;
  while (!text.empty()) {
    size_t at = text.find_first_of("@$");
    result += text.substr(0, at);
    text = text.substr(at);
    if (text.consume_front("@")) {
      result += symbol;
    } else if (text.consume_front("$")) {
      auto [name, rest] = text.split('$');
      result += expand(pieces.at(name.str()), symbol, pieces);
      text = rest;
    }
  }
  return result;
}

std::string tally::cStates(const Interface &interface) {
  std::string prefix = llvm::StringRef(interface.symbol).upper();
  std::string text =
      "/* States live in a block of memory of the caller's: one for each "
      "stream of\n   runs, kept between them. Its size and alignment. */\n"
      "#define " +
      prefix + "_STATE_BLOCK_BYTES " +
      std::to_string(runtime::stateLayout(interface).bytes) + "\n#define " +
      prefix + "_STATE_BLOCK_ALIGNMENT " +
      std::to_string(runtime::kStateAlignment) + "\n";
  auto pieces = piecesOf(interface);
  for (const char *part : {kTable, kAccess, kStep})
    text += expand(part, interface.symbol, pieces);
  return text;
}
