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

template <> struct ScalarEnumerationTraits<tally::machine::ElementType> {
  static void enumeration(IO &io, tally::machine::ElementType &type) {
    for (tally::machine::ElementType each : tally::machine::allElementTypes)
      io.enumCase(type,
                  std::string(tally::machine::elementTypeName(each)).c_str(),
                  each);
  }
};

template <> struct ScalarEnumerationTraits<tally::machine::EngineKind> {
  static void enumeration(IO &io, tally::machine::EngineKind &kind) {
    io.enumCase(kind, "dma", tally::machine::EngineKind::Dma);
    io.enumCase(kind, "matrix", tally::machine::EngineKind::Matrix);
    io.enumCase(kind, "vector", tally::machine::EngineKind::Vector);
  }
};

template <> struct ScalarEnumerationTraits<tally::machine::Direction> {
  static void enumeration(IO &io, tally::machine::Direction &direction) {
    io.enumCase(direction, "in", tally::machine::Direction::In);
    io.enumCase(direction, "out", tally::machine::Direction::Out);
    io.enumCase(direction, "both", tally::machine::Direction::Both);
  }
};

template <> struct ScalarEnumerationTraits<tally::machine::SyncKind> {
  static void enumeration(IO &io, tally::machine::SyncKind &kind) {
    io.enumCase(kind, "counter", tally::machine::SyncKind::Counter);
    io.enumCase(kind, "token", tally::machine::SyncKind::Token);
    io.enumCase(kind, "flag", tally::machine::SyncKind::Flag);
  }
};

template <> struct ScalarEnumerationTraits<tally::machine::SyncKey> {
  static void enumeration(IO &io, tally::machine::SyncKey &key) {
    io.enumCase(key, "global", tally::machine::SyncKey::Global);
    io.enumCase(key, "source", tally::machine::SyncKey::Source);
    io.enumCase(key, "source-destination",
                tally::machine::SyncKey::SourceDestination);
  }
};

template <> struct ScalarEnumerationTraits<tally::machine::SyncCompare> {
  static void enumeration(IO &io, tally::machine::SyncCompare &compare) {
    io.enumCase(compare, "absolute", tally::machine::SyncCompare::Absolute);
    io.enumCase(compare, "modular", tally::machine::SyncCompare::Modular);
  }
};

template <> struct ScalarEnumerationTraits<tally::machine::Completion> {
  static void enumeration(IO &io, tally::machine::Completion &completion) {
    io.enumCase(completion, "in-order", tally::machine::Completion::InOrder);
    io.enumCase(completion, "out-of-order",
                tally::machine::Completion::OutOfOrder);
  }
};
template <> struct ScalarEnumerationTraits<tally::machine::Operands> {
  static void enumeration(IO &io, tally::machine::Operands &operands) {
    io.enumCase(operands, "late", tally::machine::Operands::Late);
    io.enumCase(operands, "latched", tally::machine::Operands::Latched);
  }
};
template <> struct ScalarEnumerationTraits<tally::machine::Ties> {
  static void enumeration(IO &io, tally::machine::Ties &ties) {
    io.enumCase(ties, "even", tally::machine::Ties::Even);
  }
};
} // namespace llvm::yaml

LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(tally::machine::ElementType)
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(tally::machine::Natural)
LLVM_YAML_IS_SEQUENCE_VECTOR(tally::machine::Window)
LLVM_YAML_IS_SEQUENCE_VECTOR(tally::machine::Engine)
LLVM_YAML_IS_SEQUENCE_VECTOR(tally::machine::RequantizeUnit)

#endif // TALLY_MACHINE_YAMLVALUES_H
