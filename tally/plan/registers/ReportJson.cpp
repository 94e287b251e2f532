//===- ReportJson.cpp - a register plan for programs ----------------------===//

#include "tally/plan/registers/Report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::plan::registers;
namespace json = llvm::json;

static void attribute(json::OStream &os, const char *key,
                      const std::string &text) {
  if (!text.empty())
    os.attribute(key, json::fixUTF8(text));
}

static void writeHolders(json::OStream &os, const char *key,
                         const std::vector<Holder> &holders) {
  os.attributeArray(key, [&] {
    for (const Holder &holder : holders)
      os.object([&] {
        if (holder.reg != kNone)
          os.attribute("register", holder.reg);
        attribute(os, "value", holder.value);
        attribute(os, "role", holder.role);
        attribute(os, holder.value.empty() ? "clobbered_by" : "written_by",
                  holder.since);
        attribute(os, "until", holder.until);
        attribute(os, "in_flight_on", holder.inFlightOn);
      });
  });
}

static void writeTransfer(json::OStream &os, const RegisterProblem &problem,
                          const Transfer &transfer) {
  os.object([&] {
    os.attribute("kind", transfer.kind == Transfer::Reload ? "reload" : "save");
    attribute(os, "statement", problem.statements[transfer.statement].name);
    attribute(os, "value", problem.values[transfer.value].name);
    os.attribute("register", transfer.reg);
    os.attribute("slot", transfer.slot);
  });
}

static void writePart(json::OStream &os, const RegisterProblem &problem,
                      const Part &part) {
  os.object([&] {
    attribute(os, "value", problem.values[part.value].name);
    attribute(os, "first", problem.statements[part.first].name);
    attribute(os, "last", problem.statements[part.last].name);
    os.attribute("register", part.reg);
    os.attribute("move_in", part.enters);
    os.attribute("move_out", part.leaves);
  });
}

static void writeValues(json::OStream &os, const RegisterProblem &problem,
                        const RegisterSolution &solution) {
  os.attributeArray("values", [&] {
    for (ValueId value = 0; value < problem.values.size(); ++value)
      os.object([&] {
        attribute(os, "value", problem.values[value].name);
        if (solution.registers[value] != kNone)
          os.attribute("register", solution.registers[value]);
      });
  });
  os.attributeArray("parts", [&] {
    for (const Part &part : solution.parts)
      writePart(os, problem, part);
  });
  os.attributeArray("transfers", [&] {
    for (const Transfer &transfer : solution.transfers)
      writeTransfer(os, problem, transfer);
  });
}

void tally::plan::registers::writePlanJson(llvm::raw_ostream &os,
                                           const RegisterProblem &problem,
                                           const RegisterSolution &solution) {
  RegisterReport report = makeReport(problem, solution);
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("usable", report.usable);
    out.attribute("used", report.used);
    out.attribute("peak", report.peak);
    attribute(out, "peak_at", report.peakAt);
    writeHolders(out, "peak_set", report.peakSet);
    out.attribute("transfer_cost", report.cost);
    out.attribute("moves", report.moves);
    writeValues(out, problem, solution);
    out.attributeArray("pressure", [&] {
      for (const RegisterReport::Pressure &row : report.pressure)
        out.object([&] {
          attribute(out, "statement", row.statement);
          out.attribute("registers", row.registers);
        });
    });
  });
  os << "\n";
}

void tally::plan::registers::writeRefusalJson(llvm::raw_ostream &os,
                                              const Refusal &refusal) {
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    attribute(out, "rule", refusal.diagnostic.rule);
    attribute(out, "file", refusal.diagnostic.file);
    attribute(out, "message", refusal.diagnostic.message);
    attribute(out, "hint", refusal.diagnostic.hint);
    attribute(out, "at", refusal.at);
    attribute(out, "value", refusal.value);
    if (refusal.needed)
      out.attribute("needed", refusal.needed);
    if (!refusal.holders.empty()) {
      out.attribute("usable", refusal.usable);
      writeHolders(out, "holders", refusal.holders);
    }
  });
  os << "\n";
}
