//===- NpzFuzz.cpp - arbitrary bytes as tensor files ----------------------===//
//
// Whatever the bytes are, reading ends with an array or a diagnostic; what was
// read survives being written and read again.
//
//===----------------------------------------------------------------------===//

#include "tally/support/Npz.h"

using namespace tally;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const uint8_t> file(data, size);
  if (Result<NpyArray> array = parseNpy(file, "input"))
    if (*parseNpy(serializeNpy(*array), "again") != *array)
      __builtin_trap();
  constexpr int64_t maxBytes = 1 << 26;
  Result<std::vector<NpzEntry>> entries = parseNpz(file, "input", maxBytes);
  if (entries && !entries->empty())
    if (*parseNpz(*serializeNpz(*entries), "again") != *entries)
      __builtin_trap();
  return 0;
}
