//===- CodeType.h - the integers that quantized values are -----*- C++ -*-===//

#ifndef TALLY_QUANT_CODETYPE_H
#define TALLY_QUANT_CODETYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tally::quant {

/// The integer type of a code: 4, 8, 16 or 32 bits, signed or not. The word
/// "code" is used for the stored integer q of a real value (q - z) * s.
struct CodeType {
  int32_t bits = 8;
  bool isSigned = true;

  /// Smallest and largest code, both inclusive.
  constexpr int64_t min() const {
    return isSigned ? -(int64_t(1) << (bits - 1)) : 0;
  }
  constexpr int64_t max() const {
    return (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
  }
  constexpr int64_t count() const { return int64_t(1) << bits; }
  constexpr bool contains(int64_t code) const {
    return min() <= code && code <= max();
  }
  constexpr int64_t saturate(int64_t value) const {
    return value < min() ? min() : value > max() ? max() : value;
  }
  /// The code's own bits as an unsigned number in [0, count()): how tables
  /// are indexed.
  constexpr uint32_t rawBits(int64_t code) const {
    return uint32_t(uint64_t(code) & uint64_t(count() - 1));
  }
  /// Inverse of rawBits.
  constexpr int64_t fromRawBits(uint32_t raw) const {
    int64_t code = int64_t(raw) & (count() - 1);
    return isSigned && code > max() ? code - count() : code;
  }
  constexpr bool isValid() const {
    return bits == 4 || bits == 8 || bits == 16 || bits == 32;
  }
  /// "i8", "u4", ...
  std::string name() const;
  /// Inverse of name(), or nothing.
  static std::optional<CodeType> fromName(std::string_view name);

  friend constexpr bool operator==(CodeType, CodeType) = default;
};

inline constexpr CodeType i4{4, true}, u4{4, false};
inline constexpr CodeType i8{8, true}, u8{8, false};
inline constexpr CodeType i16{16, true}, u16{16, false};
inline constexpr CodeType i32{32, true}, u32{32, false};

} // namespace tally::quant

#endif // TALLY_QUANT_CODETYPE_H
