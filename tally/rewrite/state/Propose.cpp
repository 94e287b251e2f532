//===- Propose.cpp - which output becomes which input, by their names -----===//
//
// A name is cut into words. Words that say "before" or "after" are dropped;
// what is left is the stem, and an input and an output of one stem and type are
// a pair:
//
//   past_key_values.0.key   present.0.key      0 key
//   h_in                    h_out              h
//   state                   stateN             state
//   c0                      cn                 c
//   cached_len_3            new_cached_len_3   cached len 3
//   h_0                     h_n                h 0
//   h_tm1                   h_t                h t
//   hx                      hy                 h
//   initial_h               Y_h                h
//   cacheIn                 cacheOut           cache
//   past                    present            past
//
// A stem must have a word left ("input" and "output" are no pair; `past` and
// `present` alone are), and the two names must differ.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/rewrite/state/Declare.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally::nn;
using namespace tally::rewrite;

/// The O of "stateOut"; not the N of "stateN".
static bool beginsHump(StringRef name, size_t i) {
  return i > 0 && i + 1 < name.size() && llvm::isLower(name[i - 1]) &&
         llvm::isUpper(name[i]) && llvm::isLower(name[i + 1]);
}

static SmallVector<std::string> wordsOf(StringRef name) {
  SmallVector<std::string> words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    bool isSeparator = !llvm::isAlnum(name[i]);
    if ((isSeparator || beginsHump(name, i)) && !words.back().empty())
      words.emplace_back();
    if (!isSeparator)
      words.back() += name[i];
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

/// "h0" before is "hn" after, "hx" is "hy" and "h_tm1" is "h_t"; "state" before
/// may be "stateN" after.
static std::string withoutIndex(StringRef word, bool isInput) {
  StringRef stem = word;
  bool isVector = word.size() == 2 && (word[0] == 'h' || word[0] == 'c');
  if (isInput && word == "tm1")
    return "t";
  if (word.size() == 2 && stem.consume_back(isInput ? "0" : "n"))
    return stem.str();
  if (isVector && stem.consume_back(isInput ? "x" : "y"))
    return stem.str();
  if (!isInput && word.size() > 1 && stem.consume_back("N"))
    return stem.str();
  return word.str();
}

/// `isShort`: without what stands for "before" and "after" within a word.
static std::string stemOf(StringRef name, bool isInput, bool isShort) {
  static const llvm::StringSet<> before = {"in",  "input", "prev", "previous",
                                           "old", "past",  "init", "initial"};
  static const llvm::StringSet<> after = {"out",     "output", "next",   "new",
                                          "present", "final",  "updated"};
  const llvm::StringSet<> &dropped = isInput ? before : after;
  std::string text = name.str();
  // What exporters of transformers call the cache before a step, and after it.
  StringRef cache = isInput ? "past_key_values" : "present_key_values";
  if (StringRef(text).starts_with(cache))
    text.replace(0, cache.size(), isInput ? "past " : "present ");
  if (StringRef(text).rtrim().equals_insensitive(isInput ? "past" : "present"))
    return " past";
  // What ONNX calls the last state of its recurrent operators.
  if (!isInput && (text == "Y_h" || text == "Y_c"))
    return " " + text.substr(2);
  SmallVector<std::string> words = wordsOf(text);
  if (isShort && !isInput && words.size() > 1 && words.back() == "n")
    words.back() = "0"; // "h_n" after "h_0"
  std::string stem;
  for (const std::string &word : words)
    if (!dropped.contains(StringRef(word).lower()))
      stem += " " + (isShort ? withoutIndex(word, isInput) : word);
  return stem;
}

namespace {
struct NamedValue {
  std::string name, stem, shortStem;
  Type type; ///< codes as integers
};
} // namespace

static SmallVector<NamedValue> namedValues(func::FuncOp function,
                                           bool isInput) {
  SmallVector<NamedValue> values;
  ArrayRef<Type> types =
      isInput ? function.getArgumentTypes() : function.getResultTypes();
  for (auto [i, type] : llvm::enumerate(types)) {
    auto name = isInput
                    ? function.getArgAttrOfType<StringAttr>(i, "nn.name")
                    : function.getResultAttrOfType<StringAttr>(i, "nn.name");
    if (name)
      values.push_back({name.str(), stemOf(name, isInput, /*isShort=*/false),
                        stemOf(name, isInput, /*isShort=*/true),
                        storageType(cast<RankedTensorType>(type))});
  }
  return values;
}

/// Whether `after` is `before` with more indices along one dimension.
static bool isGrown(Type before, Type after) {
  auto a = cast<RankedTensorType>(before), b = cast<RankedTensorType>(after);
  if (a.getRank() != b.getRank() || a.getElementType() != b.getElementType())
    return false;
  int64_t more = 0, other = 0;
  for (auto [x, y] : llvm::zip(a.getShape(), b.getShape())) {
    more += y > x;
    other += y < x;
  }
  return more == 1 && other == 0;
}

static bool fits(const NamedValue &output, const NamedValue &input,
                 bool grows) {
  bool isPair =
      input.stem == output.stem || input.shortStem == output.shortStem;
  return isPair && !input.stem.empty() && input.name != output.name &&
         (input.type == output.type ||
          (grows && isGrown(input.type, output.type)));
}

std::vector<StatePair> tally::rewrite::proposedStates(func::FuncOp function,
                                                      bool grows) {
  auto inputs = namedValues(function, true);
  auto outputs = namedValues(function, false);
  std::vector<StatePair> pairs;
  for (const NamedValue &input : inputs)
    for (const NamedValue &output : outputs) {
      auto fitsInput = [&](const NamedValue &o) {
        return fits(o, input, grows);
      };
      auto fitsOutput = [&](const NamedValue &i) {
        return fits(output, i, grows);
      };
      if (fitsInput(output) && llvm::count_if(outputs, fitsInput) == 1 &&
          llvm::count_if(inputs, fitsOutput) == 1)
        pairs.push_back({output.name, input.name});
    }
  return pairs;
}
