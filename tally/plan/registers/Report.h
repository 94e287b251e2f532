//===- Report.h - a register plan for people and programs -------*- C++ -*-===//

#ifndef TALLY_PLAN_REGISTERS_REPORT_H
#define TALLY_PLAN_REGISTERS_REPORT_H

#include "tally/plan/registers/Solver.h"

namespace llvm {
class raw_ostream;
}

namespace tally::plan::registers {

/// Of a problem and a plan of planRegisters for it.
struct RegisterReport {
  /// Registers needed at once at a statement, by values and clobbers, if none
  /// were saved: the most of its points and, of a loop, of its entry and
  /// repetition.
  struct Pressure {
    std::string statement;
    int64_t registers = 0;
  };
  int64_t usable = 0;
  int64_t used = 0;
  std::vector<Pressure> pressure; ///< in the order of the text
  int64_t peak = 0;               ///< no plan without transfers needs fewer
  std::string peakAt;             ///< the first
  std::vector<Holder> peakSet;
  double cost = 0;  ///< of transfers, weighted by trips (Spill.h)
  double moves = 0; ///< between registers, weighted by trips
};

RegisterReport makeReport(const RegisterProblem &problem,
                          const RegisterSolution &solution);

void printPlan(llvm::raw_ostream &os, const RegisterProblem &problem,
               const RegisterSolution &solution);

/// One JSON object; docs/formats/register-problem.md.
void writePlanJson(llvm::raw_ostream &os, const RegisterProblem &problem,
                   const RegisterSolution &solution);

/// An SVG drawing, time by register, of up to 2,000 steps; `solution` is right.
std::string drawSvg(const RegisterProblem &problem,
                    const RegisterSolution &solution);

/// A refusal as one JSON object.
void writeRefusalJson(llvm::raw_ostream &os, const Refusal &refusal);

} // namespace tally::plan::registers

#endif // TALLY_PLAN_REGISTERS_REPORT_H
