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
//
// A stem must have a word left ("input" and "output" are no pair), and the two
// names must differ.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/rewrite/state/Declare.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tally::nn;
using namespace tally::rewrite;

static SmallVector<std::string> wordsOf(StringRef name) {
  SmallVector<std::string> words(1);
  for (char c : name) {
    bool isSeparator = !llvm::isAlnum(c);
    if (isSeparator && !words.back().empty())
      words.emplace_back();
    if (!isSeparator)
      words.back() += c;
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

/// "h0" before is "hn" after; "state" before may be "stateN" after.
static std::string withoutIndex(StringRef word, bool isInput) {
  StringRef stem = word;
  if (isInput && word.size() == 2 && stem.consume_back("0"))
    return stem.str();
  if (!isInput && word.size() == 2 && stem.consume_back("n"))
    return stem.str();
  if (!isInput && word.size() > 1 && stem.consume_back("N"))
    return stem.str();
  return word.str();
}

static std::string stemOf(StringRef name, bool isInput) {
  static const llvm::StringSet<> before = {"in",  "input", "prev", "previous",
                                           "old", "past",  "init", "initial"};
  static const llvm::StringSet<> after = {"out",     "output", "next",   "new",
                                          "present", "final",  "updated"};
  const llvm::StringSet<> &dropped = isInput ? before : after;
  std::string text = name.str();
  // What exporters of transformers call the cache before a step.
  if (isInput && StringRef(text).starts_with("past_key_values"))
    text.erase(0, StringRef("past_key_values").size());
  std::string stem;
  for (const std::string &word : wordsOf(text))
    if (!dropped.contains(StringRef(word).lower()))
      stem += " " + withoutIndex(word, isInput);
  return stem;
}

namespace {
struct NamedValue {
  std::string name, stem;
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
      values.push_back({name.str(), stemOf(name, isInput),
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
  return !input.stem.empty() && input.stem == output.stem &&
         input.name != output.name &&
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
