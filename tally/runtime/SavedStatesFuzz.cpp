//===- SavedStatesFuzz.cpp - saved states, made of any bytes --------------===//

#include "tally/runtime/SavedStates.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace tally;

/// With a good checksum, behind which the reader would not get otherwise.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<runtime::TensorInterface> states = {
      {"h", eval::Element::I8, {3}, std::nullopt},
      {"c", eval::Element::F32, {1, 2}, std::nullopt}};
  std::vector<uint8_t> bytes(data, data + size);
  if (size >= 8)
    llvm::support::endian::write64le(
        bytes.data() + size - 8,
        llvm::xxh3_64bits(llvm::ArrayRef(bytes.data(), size - 8)));
  (void)runtime::loadStates(bytes, states, /*hash=*/0);
  return 0;
}
