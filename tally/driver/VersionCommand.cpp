//===- VersionCommand.cpp - tally version ---------------------------------===//

#include "tally/driver/Commands.h"
#include "tally/driver/Version.h"
#include "tally/runtime/Artifact.h"
#include "tally/runtime/Host.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace tally;

static Result<int> printVersion(const Arguments &arguments) {
  std::string cpu = llvm::sys::getHostCPUName().str();
  if (!arguments.has(option::json)) {
    llvm::outs() << kProducer << " (LLVM " << LLVM_VERSION_STRING
                 << ", artifact format " << runtime::kInterfaceVersion
                 << ", host CPU " << cpu << ")\n";
    return 0;
  }
  llvm::json::OStream os(llvm::outs(), 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("tally", kVersion);
    os.attribute("llvm", LLVM_VERSION_STRING);
    os.attribute("artifact_format", runtime::kInterfaceVersion);
    os.attribute("host_cpu", cpu);
    os.attributeArray("host_tiers", [&] {
      for (const std::string &tier : runtime::hostTiers())
        os.value(tier);
    });
  });
  llvm::outs() << "\n";
  return 0;
}

const CommandSpec tally::kVersionCommand = {
    "version",   option::InVersion,
    " [--json]", "Print the versions of tally, LLVM and the artifact format",
    "",          0,
    printVersion};
