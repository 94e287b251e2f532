//===- ReferenceMain.cpp - tally-isa-doc: writes docs/reference/isa.md ----===//

#include "tally/emit/isa/Reference.h"

int main() {
  tally::isa::writeReference(llvm::outs());
  return 0;
}
