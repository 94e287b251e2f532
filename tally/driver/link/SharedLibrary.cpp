//===- SharedLibrary.cpp - an object becomes a .so ------------------------===//

#include "tally/driver/link/SharedLibrary.h"
#include "tally/runtime/LibrarySeal.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/Failed.h"
#include "tally/support/ReadFile.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

using namespace tally;

/// Everything not exported is local to the library.
static std::string versionScript(const std::string &symbol) {
  std::string exports;
  for (const char *name : {"_run", "_run_parallel", "_interface", "_selftest"})
    exports += symbol + name + "; ";
  return "{ global: " + exports + "local: *; };\n";
}

static Status runLinker(const std::string &folder, const std::string &soname) {
  std::string script = "--version-script=" + folder + "/exports",
              object = folder + "/object", library = folder + "/library";
  const char *arguments[] = {
      // What it is made for is in the object.
      "ld.lld", "-shared", "-soname", soname.c_str(), "-z", "relro", "-z",
      "now", "-z", "noexecstack", "--undefined-version", "--strip-all",
      "--gc-sections", "--hash-style=gnu",
      // Filled by sealSharedLibrary.
      "--build-id=0x00000000000000000000000000000000", "--threads=1",
      script.c_str(), "-o", library.c_str(), object.c_str()};
  std::string output;
  llvm::raw_string_ostream stream(output);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return Status::success();
  return failed(FailureKind::Internal, "LINK-1",
                "the linker refused the object: " +
                    llvm::StringRef(output).rtrim().str());
}

/// Files of the linker's are in a folder of their own, for this call only.
static Result<std::vector<uint8_t>> linkIn(const std::string &folder,
                                           std::string_view object,
                                           const std::string &symbol,
                                           const std::string &soname) {
  if (Status status = writeFileAtomically(folder + "/object", object); !status)
    return status.takeError();
  if (Status status =
          writeFileAtomically(folder + "/exports", versionScript(symbol));
      !status)
    return status.takeError();
  if (Status status = runLinker(folder, soname); !status)
    return status.takeError();
  auto library = readFile(folder + "/library");
  if (!library)
    return library;
  if (Status status = runtime::sealSharedLibrary(*library); !status)
    return status.takeError();
  return library;
}

Result<std::vector<uint8_t>>
tally::linkSharedLibrary(std::string_view object, const std::string &symbol,
                         const std::string &soname) {
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tally-link", folder))
    return failed(FailureKind::System, "LINK-2",
                  "no temporary folder: " + error.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  return linkIn(folder.str().str(), object, symbol, soname);
}
