//===- ArmForTests.cpp - compiled code on an emulated AArch64 -------------===//

#include "tally/cpu/ArmForTests.h"
#include "tally/driver/link/SharedLibrary.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"
#include "tally/support/TestFolder.h"

#include "llvm/Support/Program.h"

#include <cstring>

using namespace tally;
using namespace tally::cpu;

static constexpr const char *kRoot = "/usr/aarch64-linux-gnu";

static std::string emulator() {
  auto path = llvm::sys::findProgramByName("qemu-aarch64");
  return path ? *path : "";
}

bool tally::cpu::hasArmEmulator() {
  return !emulator().empty() && std::filesystem::exists(ARM_RUNNER);
}

static tally::Diagnostic failed(std::string message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::System;
  failure.message = std::move(message);
  return failure;
}

static std::string_view bytesOf(const eval::Tensor &tensor) {
  return {reinterpret_cast<const char *>(tensor.storage.get()),
          static_cast<size_t>(tensor.byteCount())};
}

/// The line that run_library reads, its input files written.
static Result<std::string> writeJob(const runtime::Interface &interface,
                                    const std::vector<eval::Tensor> &inputs,
                                    const TestFolder &folder) {
  std::string job = "run " + folder.path("library") + " " + interface.symbol +
                    " " + std::to_string(interface.arenaBytes) + " " +
                    std::to_string(inputs.size()) + " " +
                    std::to_string(interface.outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string path = folder.path("in" + std::to_string(i));
    if (Status status = writeFileAtomically(path, bytesOf(inputs[i])); !status)
      return status.takeError();
    job += " " + path;
  }
  for (size_t i = 0; i < interface.outputs.size(); ++i)
    job += " " + folder.path("out" + std::to_string(i)) + " " +
           std::to_string(interface.outputs[i].byteCount());
  return job + "\n";
}

static Result<std::vector<eval::Tensor>>
readOutputs(const runtime::Interface &interface, const TestFolder &folder) {
  std::vector<eval::Tensor> outputs;
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    auto bytes = readFile(folder.path("out" + std::to_string(i)));
    if (!bytes)
      return bytes.takeError();
    eval::Tensor tensor;
    tensor.element = interface.outputs[i].element;
    tensor.shape = interface.outputs[i].shape;
    tensor.allocate();
    if (bytes->size() != static_cast<size_t>(tensor.byteCount()))
      return failed("an output has the wrong size");
    std::copy(bytes->begin(), bytes->end(),
              reinterpret_cast<uint8_t *>(tensor.storage.get()));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

Result<std::vector<eval::Tensor>>
tally::cpu::runOnArm(const CompiledObject &compiled,
                     const std::vector<eval::Tensor> &inputs) {
  TestFolder folder;
  auto library = linkSharedLibrary(compiled.object, compiled.interface.symbol,
                                   "library.so");
  if (!library)
    return library.takeError();
  if (Status status = writeFileAtomically(folder.path("library"), *library);
      !status)
    return status.takeError();
  auto job = writeJob(compiled.interface, inputs, folder);
  if (!job)
    return job.takeError();
  if (Status status = writeFileAtomically(folder.path("jobs"), *job); !status)
    return status.takeError();
  std::string program = emulator(), jobs = folder.path("jobs"),
              printed = folder.path("printed");
  std::optional<llvm::StringRef> redirects[] = {
      std::nullopt, llvm::StringRef(printed), std::nullopt};
  llvm::sys::ExecuteAndWait(program, {program, "-L", kRoot, ARM_RUNNER, jobs},
                            std::nullopt, redirects);
  auto answer = readFile(printed);
  if (!answer)
    return answer.takeError();
  if (std::string(answer->begin(), answer->end()) != "0\n")
    return failed("the emulated program did not end with 0");
  return readOutputs(compiled.interface, folder);
}
