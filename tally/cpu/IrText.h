//===- IrText.h - LLVM IR as text with gaps ---------------------*- C++ -*-===//

#ifndef TALLY_CPU_IRTEXT_H
#define TALLY_CPU_IRTEXT_H

#include <string>

namespace tally::cpu {

/// `text` with `to` for every `from`, left to right; what is put in is not
/// looked at again.
inline std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

} // namespace tally::cpu

#endif // TALLY_CPU_IRTEXT_H
