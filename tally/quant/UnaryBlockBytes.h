//===- UnaryBlockBytes.h - parameter blocks as bytes -----------*- C++ -*-===//
//
// Layout: little-endian, fields at the offsets that blockFields gives. Every
// block begins with
//
//   0  tag       u8   the BlockKind
//   1  input     u8   input type: its bits, + 128 when signed
//   2  result    u8   result type, likewise
//   3  reserved  u8   0
//   4  size      u32  bytes of the whole block
//
// and repeated fields (channels, table entries) fill it to its end.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_UNARYBLOCKBYTES_H
#define TALLY_QUANT_UNARYBLOCKBYTES_H

#include "tally/quant/UnaryBlock.h"

namespace tally::quant {

struct BlockField {
  std::string name;   ///< "M", "below.M"
  int32_t offset = 0; ///< in bytes; of the first one when repeated
  int32_t bits = 0;
  bool isSigned = false;
  int32_t stride = 0; ///< bytes from one to the next; 0: not repeated
  std::string meaning;
};

/// Every field behind the common eight bytes, in the order of offsets.
std::vector<BlockField> blockFields(BlockKind kind);

std::vector<uint8_t> encodeBlock(const UnaryBlock &block);

/// Inverse of encodeBlock. Failures are of kind Model:
///   BLK-BYTES  no block: too few bytes, an unknown tag, a size that is not the
///              number of bytes or leaves a repeated field unfinished
///   BLK-VALUE  a field holds what no derivation gives: a reserved bit, a type
///              that does not exist, a shift beyond 62, a B beyond +-2^62,
///              bounds in the wrong order or no codes, a table with a wrong
///              number of entries
Result<UnaryBlock> decodeBlock(std::span<const uint8_t> bytes);

} // namespace tally::quant

#endif // TALLY_QUANT_UNARYBLOCKBYTES_H
