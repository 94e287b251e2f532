//===- StaticLibrary.cpp - an object becomes a .a -------------------------===//

#include "tally/driver/link/StaticLibrary.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Error.h"

using namespace tally;

Result<std::vector<uint8_t>>
tally::makeStaticLibrary(std::string_view object, const std::string &member) {
  llvm::NewArchiveMember entry(llvm::MemoryBufferRef(
      llvm::StringRef(object.data(), object.size()), member));
  auto archive = llvm::writeArchiveToBuffer(
      entry, llvm::SymtabWritingMode::NormalSymtab,
      llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (!archive) {
    tally::Diagnostic failure;
    failure.rule = "LINK-1";
    failure.message = "the object does not fit an archive: " +
                      llvm::toString(archive.takeError());
    return failure;
  }
  llvm::StringRef bytes = (*archive)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}
