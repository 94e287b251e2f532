//===- OnnxTensor.cpp - TensorProto to TensorData -------------------------===//
//
// A tensor's numbers stand in one of three places: as packed bytes (raw_data),
// as protobuf numbers in the field for its type (float_data, int32_data, ...)
// or in another file. All end as packed little-endian bytes.
//
// Example: int4 values 1, -2, 3 are two entries 0xE1 and 0x03 of int32_data
// (two elements each, the first in the low nibble) and become the bytes E1 03.
// float6e2m3 has one element per entry and is packed here, 6 bits each from
// the low bits up.
//
// The size that the dimensions ask for is compared with the data that is there
// before anything is allocated.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxTensor.h"

#include "tally/model/OnnxRules.h"
#include "tally/support/CheckedMath.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace tally::model {

static_assert(std::endian::native == std::endian::little,
              "raw bytes are taken over as they are");

namespace {

using google::protobuf::RepeatedField;

enum class Field { Float, Int32, Int64, Double, UInt64 };

constexpr std::string_view fieldNames[] = {
    "float_data", "int32_data", "int64_data", "double_data", "uint64_data"};

struct Numbers {
  int64_t least;
  int64_t most;
};

} // namespace

static Field fieldFor(ElementType type) {
  switch (type) {
  case ElementType::Float32:
  case ElementType::Complex64:
    return Field::Float;
  case ElementType::Float64:
  case ElementType::Complex128:
    return Field::Double;
  case ElementType::Int64:
    return Field::Int64;
  case ElementType::UInt32:
  case ElementType::UInt64:
    return Field::UInt64;
  default:
    return Field::Int32;
  }
}

static int64_t fieldSize(const onnx::TensorProto &proto, Field field) {
  switch (field) {
  case Field::Float:
    return proto.float_data_size();
  case Field::Int32:
    return proto.int32_data_size();
  case Field::Int64:
    return proto.int64_data_size();
  case Field::Double:
    return proto.double_data_size();
  case Field::UInt64:
    return proto.uint64_data_size();
  }
  return 0;
}

/// Entries of the typed field that `count` elements take: two per complex
/// number, one per byte of packed 2- and 4-bit elements, else one.
static int64_t fieldEntries(ElementType type, int64_t count) {
  if (type == ElementType::Complex64 || type == ElementType::Complex128)
    return 2 * count;
  unsigned bits = elementBits(type);
  return bits == 2 || bits == 4 ? packedBytes(type, count).value_or(0) : count;
}

/// What an entry of int32_data may be. Bit patterns are unsigned; packed 2-
/// and 4-bit elements are bytes, which some writers extend with their sign.
static Numbers numbersFor(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return {0, 1};
  case ElementType::Int8:
    return {-128, 127};
  case ElementType::Int16:
    return {-32768, 32767};
  case ElementType::Int32:
    return {INT32_MIN, INT32_MAX};
  default:
    break;
  }
  switch (elementBits(type)) {
  case 16:
    return {0, 65535};
  case 6:
    return {0, 63};
  case 8:
    return {0, 255};
  default:
    return {-128, 255};
  }
}

template <typename Stored, typename Entry>
static void packAs(const RepeatedField<Entry> &from, std::byte *to) {
  for (Entry entry : from) {
    auto stored = static_cast<Stored>(entry);
    std::memcpy(to, &stored, sizeof(Stored));
    to += sizeof(Stored);
  }
}

static void packSixBits(const RepeatedField<int32_t> &from, std::byte *to) {
  unsigned waiting = 0, bits = 0;
  for (int32_t entry : from) {
    waiting |= static_cast<unsigned>(entry) << bits;
    for (bits += 6; bits >= 8; bits -= 8, waiting >>= 8)
      *to++ = static_cast<std::byte>(waiting);
  }
  if (bits > 0)
    *to = static_cast<std::byte>(waiting);
}

static void packField(const onnx::TensorProto &proto, ElementType type,
                      std::byte *to) {
  switch (fieldFor(type)) {
  case Field::Float:
    return packAs<float>(proto.float_data(), to);
  case Field::Double:
    return packAs<double>(proto.double_data(), to);
  case Field::Int64:
    return packAs<int64_t>(proto.int64_data(), to);
  case Field::UInt64:
    return type == ElementType::UInt32
               ? packAs<uint32_t>(proto.uint64_data(), to)
               : packAs<uint64_t>(proto.uint64_data(), to);
  case Field::Int32:
    break;
  }
  switch (elementBits(type)) {
  case 6:
    return packSixBits(proto.int32_data(), to);
  case 16:
    return packAs<uint16_t>(proto.int32_data(), to);
  case 32:
    return packAs<int32_t>(proto.int32_data(), to);
  default:
    return packAs<uint8_t>(proto.int32_data(), to);
  }
}

static Status checkNumbers(const onnx::TensorProto &proto, ElementType type,
                           std::string_view node) {
  auto outside = [&](const std::string &number) {
    return breaks(OnnxRule::TensorRange,
                  "the tensor holds " + number + ", which is no " +
                      std::string(elementTypeName(type)),
                  node);
  };
  if (fieldFor(type) == Field::Int32) {
    auto [least, most] = numbersFor(type);
    for (int32_t number : proto.int32_data())
      if (number < least || number > most)
        return outside(std::to_string(number));
  }
  if (type == ElementType::UInt32)
    for (uint64_t number : proto.uint64_data())
      if (number > std::numeric_limits<uint32_t>::max())
        return outside(std::to_string(number));
  return Status::success();
}

/// Typed data in exactly the field of its type, as much as the shape asks for.
static Result<SharedBytes> readTyped(const onnx::TensorProto &proto,
                                     ElementType type, int64_t count,
                                     int64_t length, std::string_view node) {
  Field field = fieldFor(type);
  auto name = [](Field f) {
    return std::string(fieldNames[static_cast<size_t>(f)]);
  };
  for (Field other :
       {Field::Float, Field::Int32, Field::Int64, Field::Double, Field::UInt64})
    if (other != field && fieldSize(proto, other) > 0)
      return breaks(OnnxRule::TensorField,
                    "a tensor of " + std::string(elementTypeName(type)) +
                        " has data in " + name(other) + ", not in " +
                        name(field),
                    node);
  int64_t entries = fieldEntries(type, count);
  if (fieldSize(proto, field) != entries)
    return breaks(OnnxRule::TensorSize,
                  "the tensor's shape needs " + std::to_string(entries) +
                      " entries of " + name(field) + ", but there are " +
                      std::to_string(fieldSize(proto, field)),
                  node);
  if (Status status = checkNumbers(proto, type, node); !status)
    return status.takeError();
  std::shared_ptr<std::byte[]> buffer(
      new std::byte[static_cast<size_t>(length)]);
  packField(proto, type, buffer.get());
  return SharedBytes{{buffer.get(), static_cast<size_t>(length)}, buffer};
}

static bool hasTypedData(const onnx::TensorProto &proto) {
  return proto.float_data_size() || proto.int32_data_size() ||
         proto.int64_data_size() || proto.double_data_size() ||
         proto.uint64_data_size();
}

static Result<SharedBytes> readRaw(onnx::TensorProto &proto, int64_t length,
                                   std::string_view node) {
  if (hasTypedData(proto))
    return breaks(OnnxRule::TensorField,
                  "the tensor has both raw_data and typed data", node);
  if (static_cast<int64_t>(proto.raw_data().size()) != length)
    return breaks(OnnxRule::TensorSize,
                  "the tensor's shape needs " + std::to_string(length) +
                      " bytes, but raw_data has " +
                      std::to_string(proto.raw_data().size()),
                  node);
  std::shared_ptr<const std::string> owner(proto.release_raw_data());
  return SharedBytes{std::as_bytes(std::span(*owner)), owner};
}

/// A decimal number of an external data entry, 0 when there is no entry.
static Result<int64_t> entryNumber(const std::string *text,
                                   std::string_view key,
                                   std::string_view node) {
  if (!text)
    return int64_t{0};
  int64_t number = 0;
  const char *end = text->data() + text->size();
  auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end || number < 0)
    return breaks(OnnxRule::ExternalEntry,
                  "the external data entry '" + std::string(key) + "' is '" +
                      printable(*text) + "', not a number of bytes",
                  node);
  return number;
}

/// The value of `key`, or null; the last one counts when there are several.
static const std::string *entry(const onnx::TensorProto &proto,
                                std::string_view key) {
  const std::string *found = nullptr;
  for (const auto &candidate : proto.external_data())
    if (candidate.key() == key)
      found = &candidate.value();
  return found;
}

Result<SharedBytes> TensorReader::readExternal(const onnx::TensorProto &proto,
                                               int64_t length,
                                               std::string_view node) {
  if (proto.has_raw_data() || hasTypedData(proto))
    return breaks(OnnxRule::TensorField,
                  "the tensor has both external and inline data", node);
  const std::string *location = entry(proto, "location");
  if (!location)
    return breaks(OnnxRule::ExternalEntry, "the external data has no location",
                  node);
  const std::string *lengthText = entry(proto, "length");
  Result<int64_t> offset = entryNumber(entry(proto, "offset"), "offset", node);
  Result<int64_t> stated = entryNumber(lengthText, "length", node);
  if (!offset)
    return offset.takeError();
  if (!stated)
    return stated.takeError();
  if (lengthText && *stated != length)
    return breaks(OnnxRule::TensorSize,
                  "the tensor's shape needs " + std::to_string(length) +
                      " bytes, but its external data has " +
                      std::to_string(*stated),
                  node);
  Result<SharedBytes> bytes = files.read({*location, *offset, length});
  if (bytes)
    return bytes;
  Diagnostic failure = bytes.takeError();
  failure.node = printable(node);
  return failure;
}

/// The tensor without its bytes, when its type and shape are in order.
static Result<TensorData> readHeader(const onnx::TensorProto &proto,
                                     std::string_view node) {
  std::optional<ElementType> type = elementTypeFromNumber(proto.data_type());
  if (!type)
    return breaks(OnnxRule::TypeUnknown,
                  "the tensor has the unknown element type number " +
                      std::to_string(proto.data_type()),
                  node);
  if (*type == ElementType::Undefined)
    return breaks(OnnxRule::TensorTypeMissing, "the tensor has no element type",
                  node);
  if (*type == ElementType::String)
    return breaks(OnnxRule::TensorString, "the tensor holds strings", node);
  if (proto.has_segment())
    return breaks(OnnxRule::TensorSegment,
                  "the tensor is one segment of a larger one", node);
  TensorData tensor;
  tensor.type = *type;
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  return tensor;
}

/// Bytes that the tensor's shape needs, when even the widest elements, of 16
/// bytes, would fit.
static Result<int64_t> neededBytes(const TensorData &tensor,
                                   std::string_view node) {
  std::optional<int64_t> count = checkedElementCount(tensor.dims);
  if (count && checkedMul(*count, 16))
    return packedBytes(tensor.type, *count).value_or(0);
  std::string shape;
  for (int64_t dim :
       std::span(tensor.dims).first(std::min<size_t>(tensor.dims.size(), 16)))
    shape += (shape.empty() ? "" : "x") + std::to_string(dim);
  return breaks(OnnxRule::TensorShape,
                "the tensor's shape " + shape + " of " +
                    std::string(elementTypeName(tensor.type)) +
                    " has no possible size",
                node);
}

/// A Bool is read as a byte elsewhere: let nothing but 0 and 1 through.
static Status checkBools(const TensorData &tensor, std::string_view node) {
  if (tensor.type != ElementType::Bool)
    return Status::success();
  auto bad = std::find_if(tensor.bytes.begin(), tensor.bytes.end(),
                          [](std::byte b) { return b > std::byte{1}; });
  if (bad == tensor.bytes.end())
    return Status::success();
  return breaks(OnnxRule::TensorRange,
                "the tensor holds " +
                    std::to_string(std::to_integer<int>(*bad)) +
                    ", which is no bool",
                node);
}

Result<TensorData> TensorReader::readNew(onnx::TensorProto &proto,
                                         std::string_view node) {
  Result<TensorData> tensor = readHeader(proto, node);
  if (!tensor)
    return tensor;
  Result<int64_t> length = neededBytes(*tensor, node);
  if (!length)
    return length.takeError();
  Result<SharedBytes> bytes =
      proto.data_location() == 1 ? readExternal(proto, *length, node)
      : proto.has_raw_data() ? readRaw(proto, *length, node)
                             : readTyped(proto, tensor->type,
                                         tensor->elementCount(), *length, node);
  if (!bytes)
    return bytes.takeError();
  tensor->bytes = bytes->bytes;
  tensor->owner = std::move(bytes->owner);
  if (Status status = checkBools(*tensor, node); !status)
    return status.takeError();
  return tensor;
}

/// Gives the memory of the typed fields back, which clearing would keep.
static void freeNumbers(onnx::TensorProto &proto) {
  RepeatedField<float>().Swap(proto.mutable_float_data());
  RepeatedField<int32_t>().Swap(proto.mutable_int32_data());
  RepeatedField<int64_t>().Swap(proto.mutable_int64_data());
  RepeatedField<double>().Swap(proto.mutable_double_data());
  RepeatedField<uint64_t>().Swap(proto.mutable_uint64_data());
}

Result<TensorData> TensorReader::read(onnx::TensorProto &proto,
                                      std::string_view node) {
  if (auto found = known.find(&proto); found != known.end())
    return found->second;
  Result<TensorData> tensor = readNew(proto, node);
  if (!tensor)
    return tensor;
  freeNumbers(proto);
  known.emplace(&proto, *tensor);
  return tensor;
}

} // namespace tally::model
