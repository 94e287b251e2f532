//===- ParameterBytes.h - layout of parameter blocks ------------*- C++ -*-===//

#ifndef TALLY_EMIT_ISA_PARAMETERBYTES_H
#define TALLY_EMIT_ISA_PARAMETERBYTES_H

#include "tally/emit/isa/Parameters.h"

#include <string>

namespace tally::isa {

inline constexpr ParameterKind allParameterKinds[] = {
    ParameterKind::Requantize, ParameterKind::Linear,  ParameterKind::Product,
    ParameterKind::Softmax,    ParameterKind::Bias,    ParameterKind::Clamp,
    ParameterKind::Second,     ParameterKind::Epilogue};

struct ParameterField {
  std::string name;
  int64_t offset = 0; ///< bytes from the block's start; of the first repetition
  int64_t bits = 0;   ///< all are signed
  int64_t stride = 0; ///< bytes from one to the next; 0: not repeated
  std::string meaning;
};

/// The fields behind the common eight bytes, by offset. Repeated ones fill the
/// block; an epilogue has blocks instead of fields, one after the other.
std::vector<ParameterField> parameterFields(ParameterKind kind);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_PARAMETERBYTES_H
