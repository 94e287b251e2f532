//===- Fault.cpp - what stops a program -----------------------------------===//

#include "tally/run/simulator/Fault.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::simulator;

Diagnostic Fault::diagnostic() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << message << "; " << (queue.empty() ? "processor" : queue) << " at cycle "
     << time << ", " << llvm::format("pc 0x%x", pc);
  if (!line.empty())
    os << " (" << line << ")";
  if (!instruction.empty())
    os << ": " << instruction;
  Diagnostic result;
  result.kind = FailureKind::Model;
  result.rule = rule;
  result.node = node;
  result.message = std::move(text);
  if (!state.empty())
    result.hint = "then";
  for (const std::string &line : state)
    result.hint += "\n  " + line;
  return result;
}

void tally::simulator::writeFault(llvm::json::OStream &os, const Fault &fault) {
  auto text = [&](const char *key, const std::string &value) {
    os.attribute(key, llvm::json::fixUTF8(value));
  };
  text("rule", fault.rule);
  text("message", fault.message);
  text("queue", fault.queue);
  os.attribute("cycle", fault.time);
  os.attribute("pc", int64_t(fault.pc));
  text("instruction", fault.instruction);
  text("node", fault.node);
  text("line", fault.line);
  os.attributeArray("state", [&] {
    for (const std::string &line : fault.state)
      os.value(llvm::json::fixUTF8(line));
  });
}
