//===- Npz.cpp - NumPy's archives of arrays -------------------------------===//
//
// The archive is opened from memory, so that one bounded read of a regular
// file is the only contact with the file system, and tests and fuzzers need no
// files. Before an entry is unpacked its claimed size is compared with what
// deflate can reach: 258 bytes from two bits is 1032 to 1, so an entry of 1000
// compressed bytes that claims 2 MB is refused without allocating. Entries
// that share compressed data (a "zip bomb" by overlap) fail because their
// sizes add up to more than the file.
//
// Cost: the archive plus the unpacked arrays in memory. Sources: PKWARE
// APPNOTE 6.3 (zip), RFC 1951 section 3.2.5 (deflate's longest match).
//
//===----------------------------------------------------------------------===//

#include "tally/support/Npz.h"

#include "tally/support/AtomicFile.h"

#include <memory>
#include <new>
#include <set>
#include <zip.h>

using namespace tally;

namespace {

constexpr std::string_view suffix = ".npy";
constexpr uint64_t deflateRatio = 1032;

struct ArchiveCloser {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ArchiveCloser>;

struct EntryCloser {
  void operator()(zip_file_t *entry) const { zip_fclose(entry); }
};
using OpenEntry = std::unique_ptr<zip_file_t, EntryCloser>;

struct SourceCloser {
  void operator()(zip_source_t *source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, SourceCloser>;

/// libzip's error record with its lifetime.
struct ZipError {
  zip_error_t error;
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  ZipError(const ZipError &) = delete;
  ZipError &operator=(const ZipError &) = delete;
  std::string str() { return zip_error_strerror(&error); }
};

Diagnostic failure(const char *rule, std::string message,
                   std::string_view entry = "") {
  Diagnostic diagnostic;
  diagnostic.kind = FailureKind::Model;
  diagnostic.message = std::move(message);
  diagnostic.rule = rule;
  diagnostic.node = entry;
  return diagnostic;
}

Diagnostic internalFailure(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = "cannot build the archive: " + std::move(message);
  return diagnostic;
}

/// Reads one archive, keeping account of the bytes it may still claim.
class Reader {
public:
  Reader(std::span<const uint8_t> file, int64_t maxBytes)
      : file(file), compressedLeft(file.size()), bytesLeft(uint64_t(maxBytes)) {
  }

  Result<std::vector<NpzEntry>> read() {
    if (Status status = open(); !status)
      return status.takeError();
    std::vector<NpzEntry> entries;
    zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t index = 0; index < count; ++index) {
      Result<NpzEntry> entry = readEntry(zip_uint64_t(index));
      if (!entry)
        return entry.takeError();
      entries.push_back(std::move(*entry));
    }
    return entries;
  }

private:
  Status open() {
    ZipError error;
    Source source(
        zip_source_buffer_create(file.data(), file.size(), 0, &error.error));
    if (!source)
      return internalFailure(error.str());
    if (file.empty()) // libzip would take it for an archive without entries
      return failure("NPZ-ZIP-1", "not a zip archive: the file is empty");
    archive.reset(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS,
                                       &error.error));
    if (!archive && zip_error_code_zip(&error.error) == ZIP_ER_EXISTS)
      return failure("NPZ-ENTRY-1", "two entries have the same name");
    if (!archive)
      return failure("NPZ-ZIP-1", "not a usable zip archive: " + error.str());
    source.release(); // now owned by the archive
    return Status::success();
  }

  Result<NpzEntry> readEntry(zip_uint64_t index) {
    zip_stat_t stat;
    if (zip_stat_index(archive.get(), index, 0, &stat) != 0)
      return failure("NPZ-ZIP-1", zip_strerror(archive.get()));
    std::string_view name = stat.name;
    if (Status status = checkName(name); !status)
      return status.takeError();
    if (Status status = checkStorage(stat); !status)
      return status.takeError();
    Result<std::vector<uint8_t>> bytes = unpack(stat);
    if (!bytes)
      return bytes.takeError();
    Result<NpyArray> array = parseNpy(*bytes, "");
    if (!array) {
      Diagnostic diagnostic = array.takeError();
      diagnostic.node = name;
      return diagnostic;
    }
    name.remove_suffix(suffix.size());
    return NpzEntry{std::string(name), std::move(*array)};
  }

  Status checkName(std::string_view name) {
    if (!name.ends_with(suffix) || name.size() == suffix.size())
      return failure("NPZ-ENTRY-1", "expected an entry named NAME.npy", name);
    return Status::success();
  }

  Status checkStorage(const zip_stat_t &stat) {
    if (stat.encryption_method != ZIP_EM_NONE)
      return failure("NPZ-METHOD-1", "the entry is encrypted", stat.name);
    bool stored = stat.comp_method == ZIP_CM_STORE;
    if (!stored && stat.comp_method != ZIP_CM_DEFLATE)
      return failure("NPZ-METHOD-1",
                     "expected a stored or deflated entry, found compression "
                     "method " +
                         std::to_string(stat.comp_method),
                     stat.name);
    if (stat.comp_size > compressedLeft)
      return failure("NPZ-SIZE-1",
                     "the entries claim more compressed bytes than the file "
                     "has",
                     stat.name);
    compressedLeft -= stat.comp_size;
    // comp_size is at most the file's size, so the product cannot wrap.
    if (stat.size > stat.comp_size * (stored ? 1 : deflateRatio))
      return failure("NPZ-SIZE-1",
                     std::to_string(stat.comp_size) +
                         " compressed bytes cannot hold the claimed " +
                         std::to_string(stat.size),
                     stat.name);
    if (stat.size > bytesLeft)
      return failure("NPZ-SIZE-1", "the arrays together exceed the size limit",
                     stat.name);
    bytesLeft -= stat.size;
    return Status::success();
  }

  Result<std::vector<uint8_t>> unpack(const zip_stat_t &stat) {
    OpenEntry entry(zip_fopen_index(archive.get(), stat.index, 0));
    if (!entry)
      return failure("NPZ-ZIP-1", zip_strerror(archive.get()), stat.name);
    // One byte of room more: reading until the end is what makes libzip
    // compare the checksum, and shows data beyond the claimed size.
    std::vector<uint8_t> bytes(stat.size + 1);
    uint64_t done = 0;
    while (done < bytes.size()) {
      zip_int64_t count =
          zip_fread(entry.get(), bytes.data() + done, bytes.size() - done);
      if (count < 0)
        return failure("NPZ-ZIP-1", zip_file_strerror(entry.get()), stat.name);
      if (count == 0)
        break;
      done += uint64_t(count);
    }
    if (done != stat.size)
      return failure("NPZ-ZIP-1",
                     "the entry does not have the claimed " +
                         std::to_string(stat.size) + " bytes",
                     stat.name);
    bytes.pop_back();
    return bytes;
  }

  std::span<const uint8_t> file;
  uint64_t compressedLeft;
  uint64_t bytesLeft;
  Archive archive;
};

/// Builds an archive in a memory buffer of libzip's.
class Writer {
public:
  Result<std::vector<uint8_t>> write(std::span<const NpzEntry> entries,
                                     NpzCompression compression) {
    if (entries.empty()) // libzip would delete such an archive
      return failure("NPZ-ENTRY-1", "an archive needs at least one array");
    if (Status status = open(); !status)
      return status.takeError();
    for (const NpzEntry &entry : entries)
      if (Status status = add(entry, compression); !status)
        return status.takeError();
    // A successful zip_close ends the archive's life.
    if (zip_close(archive.get()) != 0)
      return internalFailure(zip_strerror(archive.get()));
    archive.release();
    return collect();
  }

private:
  Status open() {
    ZipError error;
    buffer.reset(zip_source_buffer_create(nullptr, 0, 0, &error.error));
    if (!buffer)
      return internalFailure(error.str());
    archive.reset(zip_open_from_source(buffer.get(), ZIP_TRUNCATE | ZIP_CREATE,
                                       &error.error));
    if (!archive)
      return internalFailure(error.str());
    zip_source_keep(buffer.get()); // the archive frees its own reference
    return Status::success();
  }

  Status add(const NpzEntry &entry, NpzCompression compression) {
    if (entry.name.empty() || !names.insert(entry.name).second)
      return failure("NPZ-ENTRY-1", "the name is empty or occurs twice",
                     entry.name);
    files.push_back(serializeNpy(entry.array));
    zip_source_t *source = zip_source_buffer(archive.get(), files.back().data(),
                                             files.back().size(), 0);
    std::string name = entry.name + std::string(suffix);
    zip_int64_t index =
        zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return internalFailure(zip_strerror(archive.get()));
    }
    return describe(zip_uint64_t(index), compression);
  }

  Status describe(zip_uint64_t index, NpzCompression compression) {
    constexpr zip_uint16_t midnight = 0;
    constexpr zip_uint16_t january1st1980 = (1 << 5) | 1; // year 0, month, day
    zip_int32_t method =
        compression == NpzCompression::Stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
    constexpr zip_uint32_t regularFile0644 = 0100644u << 16;
    if (zip_set_file_compression(archive.get(), index, method, 6) != 0 ||
        zip_file_set_dostime(archive.get(), index, midnight, january1st1980,
                             0) != 0 ||
        zip_file_set_external_attributes(archive.get(), index, 0,
                                         ZIP_OPSYS_UNIX, regularFile0644) != 0)
      return internalFailure(zip_strerror(archive.get()));
    return Status::success();
  }

  Result<std::vector<uint8_t>> collect() {
    zip_stat_t stat;
    if (zip_source_stat(buffer.get(), &stat) != 0 ||
        zip_source_open(buffer.get()) != 0)
      return bufferFailure();
    std::vector<uint8_t> bytes(stat.size);
    zip_int64_t count =
        zip_source_read(buffer.get(), bytes.data(), bytes.size());
    zip_source_close(buffer.get());
    if (count < 0 || size_t(count) != bytes.size())
      return bufferFailure();
    return bytes;
  }

  Diagnostic bufferFailure() {
    return internalFailure(zip_error_strerror(zip_source_error(buffer.get())));
  }

  std::vector<std::vector<uint8_t>> files; ///< outlive the archive
  Source buffer;
  Archive archive;
  std::set<std::string> names;
};

} // namespace

static Result<std::vector<NpzEntry>>
readWithinMemory(std::span<const uint8_t> file, int64_t maxBytes) {
  try {
    return Reader(file, maxBytes).read();
  } catch (const std::bad_alloc &) {
    Diagnostic diagnostic =
        failure("NPZ-SIZE-1", "no memory for the unpacked arrays");
    diagnostic.kind = FailureKind::System;
    return diagnostic;
  }
}

Result<std::vector<NpzEntry>> tally::parseNpz(std::span<const uint8_t> file,
                                              const std::string &name,
                                              int64_t maxBytes) {
  Result<std::vector<NpzEntry>> entries = readWithinMemory(file, maxBytes);
  if (entries)
    return entries;
  Diagnostic diagnostic = entries.takeError();
  diagnostic.file = name;
  return diagnostic;
}

Result<std::vector<NpzEntry>> tally::readNpz(const std::string &path,
                                             int64_t maxBytes) {
  Result<std::vector<uint8_t>> file = readFile(path);
  if (!file)
    return file.takeError();
  return parseNpz(*file, path, maxBytes);
}

Result<std::vector<uint8_t>>
tally::serializeNpz(std::span<const NpzEntry> entries,
                    NpzCompression compression) {
  return Writer().write(entries, compression);
}

Status tally::writeNpz(const std::string &path,
                       std::span<const NpzEntry> entries,
                       NpzCompression compression) {
  Result<std::vector<uint8_t>> bytes = serializeNpz(entries, compression);
  if (!bytes) {
    Diagnostic diagnostic = bytes.takeError();
    diagnostic.file = path;
    return diagnostic;
  }
  return writeFileAtomically(path, *bytes);
}
