//===- CodeType.cpp - names of code types ---------------------------------===//

#include "tally/quant/CodeType.h"

using namespace tally::quant;

std::string CodeType::name() const {
  return (isSigned ? "i" : "u") + std::to_string(bits);
}

std::optional<CodeType> CodeType::fromName(std::string_view name) {
  for (CodeType type : {i4, u4, i8, u8, i16, u16, i32, u32})
    if (type.name() == name)
      return type;
  return std::nullopt;
}
