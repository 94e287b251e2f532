//===- Law.h - what has to hold for every graph -----------------*- C++ -*-===//
//
// The evaluator on the graph as imported is the judge. Bit for bit equal to
// what it gives, for every result, has to be
//
//   quantize  the evaluator on the graph after the phase of that name
//   layout    likewise
//   fusion    likewise; fusing again changes nothing
//   unfuse    the evaluator on the fused graph taken apart, which holds no
//             chain any more
//   code      the CPU code of the fused graph; or, with a machine,
//   program   there is one for the part of the graph that the machine runs
//   check     the checker accepts it
//   simulate  what the simulator computes with it, as fast as it can and with
//             commands that take random times
//   stream    when the setting asks for it: the same with results that are
//             inputs of the next call, states that is, over several calls; what
//             the states hold in the end counts as results
//
// Besides, every module in between is valid. A graph may be refused where
// something has no CPU code, a machine cannot run it, or the judge has no
// meaning for it; never by an internal error, and never by a crash or without
// an end.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_FUZZ_LAW_H
#define TALLY_FUZZ_LAW_H

#include "tally/cpu/CpuCompiler.h"
#include "tally/fuzz/Accelerators.h"
#include "tally/fuzz/Coverage.h"
#include "tally/fuzz/Generator.h"
#include "tally/rewrite/fusion/Fusion.h"

#include <functional>

namespace tally::fuzz {

/// How a graph is compiled and judged.
struct Setting {
  eval::Profile profile = eval::Profile::Ideal;
  /// Nothing: the phases only, no code.
  std::optional<cpu::Tier> tier;
  /// Code that so many threads work on; every kernel that can is then split.
  int64_t threads = 1;
  /// A program for it instead of CPU code; under IDEAL alone.
  std::optional<Accelerator> accelerator;
  /// Whether the graph is also held against the law with states (Streams.h).
  bool asStream = false;
  /// Limits of fusion, in bytes; nothing: its own.
  std::optional<int64_t> tableBytes, tableBudget;
  /// A predicate of fusion that is taken to hold: a planted fault.
  std::optional<rewrite::Predicate> without;
};

enum class Verdict { Agrees, Refused, Fails };

struct Outcome {
  Verdict verdict = Verdict::Agrees;
  std::string step;    ///< where it failed or was refused: "fusion", "code"
  std::string message; ///< why, or the first difference
};

/// Holds `graph` against the law. `atStep` is called with each step's name
/// before it begins.
Outcome check(const Graph &graph, const Setting &setting, Coverage &coverage,
              const std::function<void(const char *)> &atStep);

/// "numerics ideal, tier avx2".
std::string describe(const Setting &setting);

/// `graph` as a test case: main with its inputs and with what the judge gives
/// as `expected` (tally-check's form), when the judge gives something.
std::string caseText(const Graph &graph, const Setting &setting);
/// The same without `expected`: nothing is evaluated.
std::string inputsText(const Graph &graph);

/// The program that is made of `graph`, as assembly; empty if there is none.
std::string programText(const Graph &graph, const Accelerator &accelerator);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_LAW_H
