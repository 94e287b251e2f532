//===- NpyHeader.h - the dictionary in front of the data --------*- C++ -*-===//
//
// Internal to Npy.cpp. The header is the text of a Python dictionary, e.g.
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_NPYHEADER_H
#define TALLY_SUPPORT_NPYHEADER_H

#include "tally/support/Npy.h"

namespace tally {

struct NpyHeader {
  NpyType dtype = NpyType::F32;
  bool bigEndian = false;
  bool columnMajor = false;
  std::vector<int64_t> shape;
};

/// Parses the dictionary; failures carry NPY-HEADER-2, NPY-DTYPE-1 or
/// NPY-SHAPE-1 and no file name.
Result<NpyHeader> parseNpyHeader(std::string_view text);

/// The dictionary as NumPy prints it, without padding.
std::string printNpyHeader(NpyType dtype, std::span<const int64_t> shape);

} // namespace tally

#endif // TALLY_SUPPORT_NPYHEADER_H
