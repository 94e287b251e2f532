//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// One tensor per file, format versions 1.0 to 3.0 of
// numpy.lib.format. Files are untrusted: a size that a header declares is
// compared with the bytes really there before anything is allocated.
//
// Rules (FailureKind::Model unless noted):
//   NPY-MAGIC-1   the file starts with the six bytes "\x93NUMPY"
//   NPY-VERSION-1 the format version is 1.0, 2.0 or 3.0
//   NPY-HEADER-1  the header lies inside the file
//   NPY-HEADER-2  the header is a dictionary of exactly 'descr',
//                 'fortran_order' and 'shape', each of its own form
//   NPY-DTYPE-1   the element type is one of NpyType (FailureKind::Unsupported)
//   NPY-SHAPE-1   at most 64 dimensions, whose byte count fits 63 bits
//   NPY-SIZE-1    the data is exactly as long as type and shape say
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_NPY_H
#define TALLY_SUPPORT_NPY_H

#include "tally/support/Result.h"

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

/// The element types that are read and written.
enum class NpyType {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  F32,
  F64
};

/// Bytes of one element: 1, 2, 4 or 8.
int64_t npyTypeSize(NpyType type);

/// NumPy's own name: "bool", "int8", "float32", ...
std::string_view npyTypeName(NpyType type);

/// A dense tensor: row-major (last dimension fastest), little-endian, booleans
/// as bytes 0 and 1. bytes.size() is the product of `shape` times the element
/// size; an empty shape is a scalar.
struct NpyArray {
  NpyType dtype = NpyType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  /// The elements as T; T must have the element size of `dtype`.
  template <typename T> std::span<const T> elements() const {
    assert(sizeof(T) == size_t(npyTypeSize(dtype)) && "wrong element type");
    return {reinterpret_cast<const T *>(bytes.data()),
            bytes.size() / sizeof(T)};
  }

  bool operator==(const NpyArray &) const = default;
};

/// Reads `path`. Big-endian and column-major files are converted.
Result<NpyArray> readNpy(const std::string &path);

/// The same from memory; `name` is what failures call the file.
Result<NpyArray> parseNpy(std::span<const uint8_t> file,
                          const std::string &name);

/// The bytes of the .npy file in format 1.0, as NumPy writes it. Equal arrays
/// give equal bytes. The array must be consistent (see NpyArray) and have at
/// most 64 dimensions.
std::vector<uint8_t> serializeNpy(const NpyArray &array);

/// Writes `path` completely or not at all (see AtomicFile.h).
Status writeNpy(const std::string &path, const NpyArray &array);

} // namespace tally

#endif // TALLY_SUPPORT_NPY_H
