//===- SegmentFileFuzz.cpp - models in segments, made of any bytes --------===//

#include "tally/runtime/SegmentFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)tally::runtime::parseSegments({data, size}, "fuzz");
  return 0;
}
