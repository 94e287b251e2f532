//===- StaticLibrary.h - an object becomes a .a -----------------*- C++ -*-===//

#ifndef TALLY_DRIVER_LINK_STATICLIBRARY_H
#define TALLY_DRIVER_LINK_STATICLIBRARY_H

#include "tally/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

/// The bytes of an archive with a symbol table and one member, `member`. The
/// member's date, owner and mode are fixed, so equal objects give equal bytes.
Result<std::vector<uint8_t>> makeStaticLibrary(std::string_view object,
                                               const std::string &member);

} // namespace tally

#endif // TALLY_DRIVER_LINK_STATICLIBRARY_H
