//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// A file is: magic (6 bytes), version (2), header length (2 bytes, from
// version 2 on 4, little-endian), header text, data. Example: a float32
// vector of two elements is 6 + 2 + 2 + 118 header bytes, then 8 bytes of data.
// The header is padded with blanks and a line feed so that the data starts at
// a multiple of 64.
//
// Cost: one copy of the data. Source: "numpy.lib.format" of the NumPy manual.
//
//===----------------------------------------------------------------------===//

#include "tally/support/Npy.h"

#include "tally/support/AtomicFile.h"
#include "tally/support/CheckedMath.h"
#include "tally/support/NpyHeader.h"
#include "tally/support/ReadFile.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace tally;

static_assert(std::endian::native == std::endian::little,
              "elements() hands out little-endian data as native");

static constexpr std::string_view magic("\x93NUMPY", 6);
static constexpr size_t dataAlignment = 64;

static Diagnostic failure(const char *rule, std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = FailureKind::Model;
  diagnostic.message = std::move(message);
  diagnostic.rule = rule;
  return diagnostic;
}

namespace {
/// A file cut into its two parts.
struct Parts {
  std::string_view header;
  std::span<const uint8_t> data;
};
} // namespace

static Result<Parts> split(std::span<const uint8_t> file) {
  if (file.size() < magic.size() ||
      std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return failure("NPY-MAGIC-1", "not a .npy file: it does not start with "
                                  "\\x93NUMPY");
  if (file.size() < 8 || file[6] < 1 || file[6] > 3 || file[7] != 0)
    return failure("NPY-VERSION-1", "expected format version 1.0, 2.0 or 3.0");
  size_t lengthBytes = file[6] == 1 ? 2 : 4;
  size_t headerStart = 8 + lengthBytes;
  if (file.size() < headerStart)
    return failure("NPY-HEADER-1", "the file ends inside the header's length");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(file[8 + i]) << (8 * i);
  if (length > file.size() - headerStart)
    return failure("NPY-HEADER-1",
                   "the header claims " + std::to_string(length) +
                       " bytes, but only " +
                       std::to_string(file.size() - headerStart) + " follow");
  const char *text = reinterpret_cast<const char *>(file.data()) + headerStart;
  return Parts{{text, length}, file.subspan(headerStart + length)};
}

/// Fails unless `bytes` are what type and shape call for.
static Status checkSize(const NpyHeader &header, size_t bytes) {
  std::optional<int64_t> count = checkedElementCount(header.shape);
  std::optional<int64_t> expected =
      count ? checkedMul(*count, npyTypeSize(header.dtype)) : std::nullopt;
  if (!expected)
    return failure("NPY-SHAPE-1", "the shape's byte count exceeds 2^63 - 1");
  if (size_t(*expected) != bytes)
    return failure("NPY-SIZE-1",
                   "type and shape call for " + std::to_string(*expected) +
                       " bytes of data, found " + std::to_string(bytes));
  return Status::success();
}

static void reverseElements(std::vector<uint8_t> &bytes, size_t size) {
  for (size_t at = 0; at < bytes.size(); at += size)
    std::reverse(bytes.begin() + at, bytes.begin() + at + size);
}

/// Column-major to row-major. An odometer walks the source in storage order
/// (first index fastest) while `target` follows through the row-major strides:
/// for shape (2, 3) the strides are (3, 1) and the targets 0 3 1 4 2 5.
static std::vector<uint8_t> toRowMajor(std::span<const uint8_t> source,
                                       std::span<const int64_t> shape,
                                       size_t size) {
  if (source.empty()) // strides of an empty shape may not even fit
    return {};
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis > 1; --axis)
    strides[axis - 2] = strides[axis - 1] * shape[axis - 1];
  std::vector<uint8_t> result(source.size());
  std::vector<int64_t> index(shape.size(), 0);
  int64_t target = 0;
  for (size_t at = 0; at < source.size(); at += size) {
    std::memcpy(result.data() + size_t(target) * size, source.data() + at,
                size);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      target += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      target -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}

static NpyArray normalize(NpyHeader header, std::span<const uint8_t> data) {
  size_t size = size_t(npyTypeSize(header.dtype));
  NpyArray array;
  array.dtype = header.dtype;
  array.bytes = header.columnMajor ? toRowMajor(data, header.shape, size)
                                   : std::vector(data.begin(), data.end());
  array.shape = std::move(header.shape);
  if (header.bigEndian && size > 1)
    reverseElements(array.bytes, size);
  if (array.dtype == NpyType::Bool)
    for (uint8_t &byte : array.bytes)
      byte = byte != 0;
  return array;
}

static Result<NpyArray> parse(std::span<const uint8_t> file) {
  Result<Parts> parts = split(file);
  if (!parts)
    return parts.takeError();
  Result<NpyHeader> header = parseNpyHeader(parts->header);
  if (!header)
    return header.takeError();
  if (Status status = checkSize(*header, parts->data.size()); !status)
    return status.takeError();
  return normalize(std::move(*header), parts->data);
}

Result<NpyArray> tally::parseNpy(std::span<const uint8_t> file,
                                 const std::string &name) {
  Result<NpyArray> array = parse(file);
  if (array)
    return array;
  Diagnostic diagnostic = array.takeError();
  diagnostic.file = name;
  return diagnostic;
}

Result<NpyArray> tally::readNpy(const std::string &path) {
  Result<std::vector<uint8_t>> file = readFile(path);
  if (!file)
    return file.takeError();
  return parseNpy(*file, path);
}

std::vector<uint8_t> tally::serializeNpy(const NpyArray &array) {
  std::string header = printNpyHeader(array.dtype, array.shape);
  // 64 dimensions of 20 digits stay far below version 1.0's 65535 bytes.
  size_t prefix = magic.size() + 4;
  size_t used = prefix + header.size() + 1;
  header.append((dataAlignment - used % dataAlignment) % dataAlignment, ' ');
  header += '\n';

  std::vector<uint8_t> file(magic.begin(), magic.end());
  file.reserve(prefix + header.size() + array.bytes.size());
  file.insert(file.end(), {1, 0, uint8_t(header.size() & 0xff),
                           uint8_t(header.size() >> 8)});
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), array.bytes.begin(), array.bytes.end());
  return file;
}

Status tally::writeNpy(const std::string &path, const NpyArray &array) {
  return writeFileAtomically(path, serializeNpy(array));
}
