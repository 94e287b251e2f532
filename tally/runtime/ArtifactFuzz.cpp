//===- ArtifactFuzz.cpp - artifacts made of any bytes ---------------------===//

#include "tally/runtime/Artifact.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)tally::runtime::parseArtifact(std::vector<uint8_t>(data, data + size),
                                      "fuzz");
  return 0;
}
