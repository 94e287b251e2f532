//===- Config.h - staged configuration of engines ---------------*- C++ -*-===//
//
// Each engine has staged fields (ConfigFields.def), which `cfg.i` and `cfg.r`
// write and `go` latches. Which fields there are depends on the kind of engine.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_CONFIG_H
#define TALLY_EMIT_ISA_CONFIG_H

#include "tally/machine/Machine.h"
#include "tally/support/Result.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tally::isa {

/// Spaces: numbers below kSram are regions of global memory, bound per call.
/// One program so serves many contexts and writes where the caller wants.
inline constexpr int64_t kConstantsRegion = 0; ///< constants, parameter blocks
inline constexpr int64_t kArenaRegion = 1;     ///< scratch, undefined at start
inline constexpr int64_t kContextRegion = 2;   ///< state; lw and sw address it
inline constexpr int64_t kFirstCallerRegion = 3;
inline constexpr int64_t kSram = 64;         ///< addressed directly
inline constexpr int64_t kAccumulators = 65; ///< addressed directly
inline constexpr bool isRegion(int64_t space) {
  return 0 <= space && space < kSram;
}
inline constexpr bool isSpace(int64_t space) {
  return 0 <= space && space <= kAccumulators;
}

/// Places of fields in allFields(kind).
enum class DmaField : uint8_t {
#define TALLY_DMA_Dma(id) id,
#define TALLY_DMA_Matrix(id)
#define TALLY_DMA_Vector(id)
#define TALLY_FIELD(kind, id, ...) TALLY_DMA_##kind(id)
#include "tally/emit/isa/ConfigFields.def"
};
enum class MatrixField : uint8_t {
#define TALLY_MATRIX_Dma(id)
#define TALLY_MATRIX_Matrix(id) id,
#define TALLY_MATRIX_Vector(id)
#define TALLY_FIELD(kind, id, ...) TALLY_MATRIX_##kind(id)
#include "tally/emit/isa/ConfigFields.def"
};
enum class VectorField : uint8_t {
#define TALLY_VECTOR_Dma(id)
#define TALLY_VECTOR_Matrix(id)
#define TALLY_VECTOR_Vector(id) id,
#define TALLY_FIELD(kind, id, ...) TALLY_VECTOR_##kind(id)
#include "tally/emit/isa/ConfigFields.def"
};
#undef TALLY_DMA_Dma
#undef TALLY_DMA_Matrix
#undef TALLY_DMA_Vector
#undef TALLY_MATRIX_Dma
#undef TALLY_MATRIX_Matrix
#undef TALLY_MATRIX_Vector
#undef TALLY_VECTOR_Dma
#undef TALLY_VECTOR_Matrix
#undef TALLY_VECTOR_Vector

struct FieldInfo {
  machine::EngineKind kind;
  std::string_view name; ///< "src.stride0"
  uint8_t bits;          ///< 1 to 32
  bool isSigned;
  int64_t initial; ///< the value when a program starts
  std::string_view unit, meaning;

  int64_t minimum() const { return isSigned ? -(int64_t(1) << (bits - 1)) : 0; }
  int64_t maximum() const {
    return (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
  }
};

std::span<const FieldInfo> allFields(machine::EngineKind kind);
std::optional<uint32_t> findField(machine::EngineKind kind,
                                  std::string_view name);

/// The staged fields of one engine.
class Configuration {
public:
  /// All fields hold their initial values.
  explicit Configuration(machine::EngineKind kind);

  machine::EngineKind kind() const { return engineKind; }
  int64_t get(uint32_t field) const { return values[field]; }
  int64_t get(DmaField field) const { return values[uint32_t(field)]; }
  int64_t get(MatrixField field) const { return values[uint32_t(field)]; }
  int64_t get(VectorField field) const { return values[uint32_t(field)]; }

  /// ISA-FIELD: there is no such field, or the value is outside its range.
  Status set(uint32_t field, int64_t value);
  Status set(DmaField field, int64_t value) {
    return set(uint32_t(field), value);
  }
  Status set(MatrixField field, int64_t value) {
    return set(uint32_t(field), value);
  }
  Status set(VectorField field, int64_t value) {
    return set(uint32_t(field), value);
  }
  /// What cfg.r writes: the register's 32 bits, as signed number where the
  /// field is signed.
  Status setRegister(uint32_t field, uint32_t bits);

  friend bool operator==(const Configuration &,
                         const Configuration &) = default;

private:
  machine::EngineKind engineKind;
  std::vector<int64_t> values;
};

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_CONFIG_H
