//===- SpecialWordsForTests.h - words of contract records -------*- C++ -*-===//
//
// The words that special values and examples of a contract are written in
// (ContractBase.td), as elements of tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_OPS_SPECIALWORDSFORTESTS_H
#define TALLY_OPS_SPECIALWORDSFORTESTS_H

#include "tally/eval/Tensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <map>

namespace tally {

/// Of one of both kinds.
struct SpecialNumber {
  double real = 0;
  int64_t integer = 0;
};

inline std::optional<SpecialNumber> floatNumber(std::string_view word) {
  static const std::map<std::string_view, double> named = {
      {"nan", std::nan("")}, {"inf", HUGE_VAL}, {"-inf", -HUGE_VAL}};
  if (auto found = named.find(word); found != named.end())
    return SpecialNumber{found->second};
  double value;
  if (llvm::StringRef(word).getAsDouble(value))
    return std::nullopt;
  return SpecialNumber{value};
}

inline std::optional<SpecialNumber>
integerNumber(std::string_view word, unsigned bits, bool isSigned) {
  auto least = isSigned ? llvm::minIntN(bits) : 0;
  uint64_t most = isSigned ? static_cast<uint64_t>(llvm::maxIntN(bits))
                           : llvm::maxUIntN(bits);
  if (word == "int_min")
    return SpecialNumber{0, least};
  if (word == "int_max")
    return SpecialNumber{0, static_cast<int64_t>(most)};
  int64_t value;
  if (word == "-0" || llvm::StringRef(word).getAsInteger(10, value))
    return std::nullopt;
  bool fits = value < 0 ? value >= least : static_cast<uint64_t>(value) <= most;
  return fits ? std::optional(SpecialNumber{0, value}) : std::nullopt;
}

/// `word` as an element: nothing where the type has no such value.
inline std::optional<SpecialNumber> numberOf(std::string_view word,
                                             eval::Element element) {
  if (eval::isFloat(element))
    return floatNumber(word);
  if (element != eval::Element::Bool)
    return integerNumber(word,
                         static_cast<unsigned>(8 * eval::byteSize(element)),
                         eval::isSigned(element));
  if (word != "true" && word != "false")
    return std::nullopt;
  return SpecialNumber{0, word == "true"};
}

inline void store(eval::Tensor &tensor, int64_t i,
                  const SpecialNumber &number) {
  if (eval::isFloat(tensor.element))
    eval::storeFloat(tensor, i, number.real);
  else
    eval::storeInt(tensor, i, number.integer);
}

/// NaNs are alike, zeros are not.
inline void expectEqual(const eval::Tensor &found, int64_t i,
                        const SpecialNumber &wanted) {
  if (!eval::isFloat(found.element)) {
    EXPECT_EQ(eval::loadInt(found, i), wanted.integer) << "element " << i;
    return;
  }
  double value = eval::loadFloat(found, i);
  if (std::isnan(wanted.real)) {
    EXPECT_TRUE(std::isnan(value)) << "element " << i << " is " << value;
    return;
  }
  EXPECT_EQ(value, wanted.real) << "element " << i;
  EXPECT_EQ(std::signbit(value), std::signbit(wanted.real)) << "element " << i;
}

} // namespace tally

#endif // TALLY_OPS_SPECIALWORDSFORTESTS_H
