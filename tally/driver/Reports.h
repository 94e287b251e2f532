//===- Reports.h - what a compiled model is, as text ------------*- C++ -*-===//

#ifndef TALLY_DRIVER_REPORTS_H
#define TALLY_DRIVER_REPORTS_H

#include "tally/runtime/Artifact.h"

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally {

/// "1.25 MiB (1310720 bytes)"; plain bytes below 10 KiB.
std::string bytesText(int64_t bytes);

/// Arena, peak set and constants, a line each.
void printMemory(llvm::raw_ostream &os, const runtime::Interface &interface);

/// The bytes that a context keeps, and each state, a line each; nothing without
/// states.
void printStates(llvm::raw_ostream &os, const runtime::Interface &interface);

/// The same as an attribute "states": names, policies and bytes.
void writeStates(llvm::json::OStream &os, const runtime::Interface &interface);

/// Inputs or outputs, a line each.
void printTensors(llvm::raw_ostream &os, const char *title,
                  const std::vector<runtime::TensorInterface> &tensors);

/// All of an artifact, with a line per stage.
void printArtifact(llvm::raw_ostream &os, const runtime::Artifact &artifact);

} // namespace tally

#endif // TALLY_DRIVER_REPORTS_H
