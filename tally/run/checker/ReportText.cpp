//===- ReportText.cpp - a verdict for people ------------------------------===//

#include "tally/run/checker/Report.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::checker;

/// Schedules are printed to their end; of long ones the beginning is left out.
static constexpr size_t kStepsShown = 24;

static void printPlace(llvm::raw_ostream &os, const Place &place) {
  os << "'" << place.text << "' at 0x";
  os.write_hex(uint64_t(place.instruction) * isa::kInstructionBytes);
  if (!place.line.empty())
    os << " (" << place.line << ")";
  if (!place.node.empty())
    os << ", node '" << place.node << "'";
  if (place.entry > 0)
    os << ", entry " << place.entry << " of " << place.actor;
  os << "\n";
}

static void printStep(llvm::raw_ostream &os, const ScheduleStep &step) {
  os << "    " << step.last.actor << ": ";
  if (step.from == step.to)
    os << "entry " << step.to;
  else
    os << "entries " << step.from << " to " << step.to;
  os << ", '" << step.last.text << "'";
  if (!step.last.line.empty())
    os << " (" << step.last.line << ")";
  os << "\n";
}

static void printSchedule(llvm::raw_ostream &os, const Verdict &verdict) {
  if (verdict.schedule.empty())
    return;
  os << "  a schedule, the first being held"
     << (verdict.scheduleNeedsDepth ? ", with deeper queues" : "") << ":\n";
  size_t count = verdict.schedule.size();
  size_t hidden = count > kStepsShown ? count - kStepsShown : 0;
  if (hidden > 0)
    os << "    (" << hidden << " steps before)\n";
  for (size_t i = hidden; i < count; ++i)
    printStep(os, verdict.schedule[i]);
}

static void printRejection(llvm::raw_ostream &os, const std::string &file,
                           const Verdict &verdict) {
  os << file << ": rejected: " << verdict.message << " ["
     << infoOf(verdict.rule).code << "]\n";
  // A deadlock's places have reasons, below.
  if (verdict.first && verdict.blocked.empty()) {
    os << (verdict.second ? "  the first:  " : "  at ");
    printPlace(os, *verdict.first);
  }
  if (verdict.second) {
    os << "  the second: ";
    printPlace(os, *verdict.second);
  }
  if (const std::optional<Overlap> &overlap = verdict.overlap) {
    os << "  ";
    if (overlap->bytes.begin < overlap->bytes.end)
      os << "bytes " << overlap->bytes.begin << " to " << overlap->bytes.end
         << " of ";
    os << overlap->space;
    if (!overlap->symbol.empty())
      os << ", in '" << overlap->symbol << "'";
    os << "\n";
  }
  for (const Blocked &blocked : verdict.blocked) {
    os << "  " << blocked.at.actor << " stands at ";
    printPlace(os, blocked.at);
    os << "    " << blocked.reason << "\n";
  }
  for (const auto &[name, value] : verdict.scalars)
    os << "  with '" << name << "' = " << value << "\n";
  printSchedule(os, verdict);
  if (!verdict.hint.empty())
    os << "  " << verdict.hint << "\n";
}

void tally::checker::printVerdict(llvm::raw_ostream &os,
                                  const std::string &file,
                                  const Verdict &verdict) {
  if (!verdict.isAccepted)
    return printRejection(os, file, verdict);
  const Statistics &statistics = verdict.statistics;
  os << file << ": accepted: " << statistics.executions
     << (statistics.executions == 1 ? " execution, " : " executions, ")
     << statistics.commands << " commands among " << statistics.entries
     << " queue entries, " << statistics.instructions << " instructions\n";
}

void tally::checker::printWaits(llvm::raw_ostream &os, const std::string &file,
                                const WaitReview &review) {
  os << file << ": of " << review.waits << " waits " << review.tried
     << " were left out in turn; " << review.needless.size()
     << " are not needed\n";
  for (const Place &place : review.needless) {
    os << "  ";
    printPlace(os, place);
  }
}
