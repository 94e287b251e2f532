//===- YamlValues.h - single values of machine files ------------*- C++ -*-===//
//
// How LLVM's YAML I/O reads the numbers, names and choices of a machine file,
// each with its rule, so that a failure has the value's own line. A message
// begins with its rule in brackets. Included by MachineFile.cpp alone.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_MACHINE_YAMLVALUES_H
#define TALLY_MACHINE_YAMLVALUES_H

#include "tally/machine/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/YAMLTraits.h"

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace tally::machine {

/// A number from Least to Most.
template <int64_t Least, int64_t Most> struct Ranged {
  int64_t value = 0;
};
using Positive = Ranged<1, INT32_MAX>;
using Natural = Ranged<0, INT32_MAX>;

/// A number that is a power of two.
struct PowerOfTwo {
  int64_t value = 1;
};

/// A name of an engine or machine.
struct Name {
  std::string value;
};

/// LLVM keeps the text of a scalar's error only by reference.
inline llvm::StringRef kept(std::string text) {
  static thread_local std::string last;
  last = std::move(text);
  return last;
}

/// `value` keeps what it had unless the number is in range: other rules may
/// still be checked after a failure.
inline llvm::StringRef readInteger(llvm::StringRef text, int64_t least,
                                   int64_t most, int64_t &value) {
  int64_t number = 0;
  if (!llvm::to_integer(text, number, 0))
    return kept("[MACH-1] '" + text.str() + "' is no integer");
  if (number < least || number > most)
    return kept("[MACH-2] " + text.str() + " is outside " +
                std::to_string(least) + " to " + std::to_string(most));
  value = number;
  return {};
}

/// Choices of which the format knows one or two, kept as booleans.
enum class Completion { InOrder, OutOfOrder };
enum class Operands { Late, Latched };
enum class Ties { Even };

/// The names of a choice, in the order of the format's page.
template <typename Choice>
using Choices = std::vector<std::pair<std::string_view, Choice>>;

inline Choices<ElementType> choicesOf(ElementType) {
  Choices<ElementType> choices;
  for (ElementType type : allElementTypes)
    choices.emplace_back(elementTypeName(type), type);
  return choices;
}
inline Choices<EngineKind> choicesOf(EngineKind) {
  return {{"dma", EngineKind::Dma},
          {"matrix", EngineKind::Matrix},
          {"vector", EngineKind::Vector}};
}
inline Choices<Direction> choicesOf(Direction) {
  return {{"in", Direction::In},
          {"out", Direction::Out},
          {"both", Direction::Both}};
}
inline Choices<SyncKind> choicesOf(SyncKind) {
  return {{"counter", SyncKind::Counter},
          {"token", SyncKind::Token},
          {"flag", SyncKind::Flag}};
}
inline Choices<SyncKey> choicesOf(SyncKey) {
  return {{"global", SyncKey::Global},
          {"source", SyncKey::Source},
          {"source-destination", SyncKey::SourceDestination}};
}
inline Choices<SyncCompare> choicesOf(SyncCompare) {
  return {{"absolute", SyncCompare::Absolute},
          {"modular", SyncCompare::Modular}};
}
inline Choices<Completion> choicesOf(Completion) {
  return {{"in-order", Completion::InOrder},
          {"out-of-order", Completion::OutOfOrder}};
}
inline Choices<Operands> choicesOf(Operands) {
  return {{"late", Operands::Late}, {"latched", Operands::Latched}};
}
inline Choices<Ties> choicesOf(Ties) { return {{"even", Ties::Even}}; }

/// `value` keeps what it had unless `text` is a choice.
template <typename Choice>
llvm::StringRef readChoice(llvm::StringRef text, const Choices<Choice> &choices,
                           Choice &value) {
  std::string names;
  for (auto [name, choice] : choices) {
    if (text == llvm::StringRef(name)) {
      value = choice;
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return kept("[MACH-1] '" + text.str() + "' is none of: " + names);
}

} // namespace tally::machine

namespace llvm::yaml {

template <int64_t Least, int64_t Most>
struct ScalarTraits<tally::machine::Ranged<Least, Most>> {
  static void output(const tally::machine::Ranged<Least, Most> &number, void *,
                     raw_ostream &out) {
    out << number.value;
  }
  static StringRef input(StringRef text, void *,
                         tally::machine::Ranged<Least, Most> &number) {
    return tally::machine::readInteger(text, Least, Most, number.value);
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<tally::machine::PowerOfTwo> {
  static void output(const tally::machine::PowerOfTwo &number, void *,
                     raw_ostream &out) {
    out << number.value;
  }
  static StringRef input(StringRef text, void *,
                         tally::machine::PowerOfTwo &number) {
    StringRef error =
        tally::machine::readInteger(text, 1, INT32_MAX, number.value);
    if (error.empty() && (number.value & (number.value - 1)) != 0)
      return tally::machine::kept("[MACH-2] " + text.str() +
                                  " is no power of two");
    return error;
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<tally::machine::Name> {
  static void output(const tally::machine::Name &name, void *,
                     raw_ostream &out) {
    out << name.value;
  }
  static StringRef input(StringRef text, void *, tally::machine::Name &name) {
    name.value = text.str();
    bool good = !text.empty() && isAlpha(text.front()) &&
                llvm::all_of(text, [](char c) {
                  return isAlnum(c) || c == '-' || c == '_';
                });
    return good ? StringRef()
                : tally::machine::kept(
                      "[MACH-3] '" + text.str() +
                      "' is no name: letters, digits, - and _, a letter "
                      "first");
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

/// Traits of a value that is one of choicesOf(Choice).
template <typename Choice> struct ChoiceTraits {
  static void output(const Choice &choice, void *, raw_ostream &out) {
    for (auto [name, value] : choicesOf(choice))
      if (value == choice)
        out << name;
  }
  static StringRef input(StringRef text, void *, Choice &choice) {
    return tally::machine::readChoice(text, choicesOf(choice), choice);
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <>
struct ScalarTraits<tally::machine::ElementType>
    : ChoiceTraits<tally::machine::ElementType> {};
template <>
struct ScalarTraits<tally::machine::EngineKind>
    : ChoiceTraits<tally::machine::EngineKind> {};
template <>
struct ScalarTraits<tally::machine::Direction>
    : ChoiceTraits<tally::machine::Direction> {};
template <>
struct ScalarTraits<tally::machine::SyncKind>
    : ChoiceTraits<tally::machine::SyncKind> {};
template <>
struct ScalarTraits<tally::machine::SyncKey>
    : ChoiceTraits<tally::machine::SyncKey> {};
template <>
struct ScalarTraits<tally::machine::SyncCompare>
    : ChoiceTraits<tally::machine::SyncCompare> {};
template <>
struct ScalarTraits<tally::machine::Completion>
    : ChoiceTraits<tally::machine::Completion> {};
template <>
struct ScalarTraits<tally::machine::Operands>
    : ChoiceTraits<tally::machine::Operands> {};
template <>
struct ScalarTraits<tally::machine::Ties> : ChoiceTraits<tally::machine::Ties> {
};
} // namespace llvm::yaml

LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(tally::machine::ElementType)
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(tally::machine::Natural)
LLVM_YAML_IS_SEQUENCE_VECTOR(tally::machine::Window)
LLVM_YAML_IS_SEQUENCE_VECTOR(tally::machine::Engine)
LLVM_YAML_IS_SEQUENCE_VECTOR(tally::machine::RequantizeUnit)

#endif // TALLY_MACHINE_YAMLVALUES_H
