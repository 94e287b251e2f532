//===- JoinObjects.h - several objects become one ---------------*- C++ -*-===//

#ifndef TALLY_CPU_JOINOBJECTS_H
#define TALLY_CPU_JOINOBJECTS_H

#include "tally/support/Result.h"

#include "llvm/ADT/ArrayRef.h"

namespace tally::cpu {

/// One relocatable ELF64 object (little-endian) with all sections of `objects`,
/// in order, as LLVM emits them: without groups. Undefined symbols of one are
/// resolved by another's, and symbols of hidden visibility, which only these
/// objects share, become local. CPU-2: a symbol has two definitions, or a
/// hidden one has none, or an object is not of this kind.
Result<std::string> joinObjects(llvm::ArrayRef<std::string> objects);

} // namespace tally::cpu

#endif // TALLY_CPU_JOINOBJECTS_H
