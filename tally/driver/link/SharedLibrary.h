//===- SharedLibrary.h - an object becomes a .so ----------------*- C++ -*-===//
//
// LLVM's linker, used as a library. The result depends on nothing but the
// arguments: no path, date or machine goes into it.
//
// Rules: LINK-1 the linker accepts the object (Internal: we made it); LINK-2
// temporary files can be written (System).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_LINK_SHAREDLIBRARY_H
#define TALLY_DRIVER_LINK_SHAREDLIBRARY_H

#include "tally/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

/// The bytes of a shared library made of one object. Exported are SYMBOL_run,
/// SYMBOL_interface and, where there is one, SYMBOL_selftest; `soname` is what
/// dependents record. The library has no text relocation, its relocated data is
/// read-only after loading, its build id is its seal (runtime/LibrarySeal.h).
Result<std::vector<uint8_t>> linkSharedLibrary(std::string_view object,
                                               const std::string &symbol,
                                               const std::string &soname);

} // namespace tally

#endif // TALLY_DRIVER_LINK_SHAREDLIBRARY_H
