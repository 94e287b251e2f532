//===- Fusion.h - chains become one operation -------------------*- C++ -*-===//
//
// Joins an operator (the anchor: a convolution, a product, an addition, a
// pool) and the elementwise operators that follow it into one nn.fused, so that
// an executor can finish each element before it stores it.
//
//   relu(conv(x, w) : on s,z) : on t,y
//     ==> fused { conv : on s,z; relu : on t,y }
//
// Nothing between two stages is dropped: each keeps its own grid, and an
// executor rounds in a register as the graph would round in memory. Where it
// can be proven that a rounding or a clamp changes no code, it is left out
// (Simplify.h). Each reason not to fuse is a predicate with a name and a proof
// (Predicates.def), and every edge from a chain to an elementwise operator gets
// a remark FUSE-n.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_FUSION_H
#define TALLY_REWRITE_FUSION_FUSION_H

#include "tally/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace tally::rewrite {

/// The predicates of Predicates.def.
enum class Predicate {
#define TALLY_FUSION_PREDICATE(NAME, TEXT) NAME,
#include "tally/rewrite/fusion/Predicates.def"
};

llvm::StringRef predicateName(Predicate predicate);
/// Its inverse, or nothing.
std::optional<Predicate> predicateNamed(llvm::StringRef name);
/// All names, in the order of Predicates.def.
llvm::SmallVector<llvm::StringRef> predicateNames();

/// What an executor can run inside one nn.fused. Each answers with what is
/// lacking (lower case, without a final stop) or with nothing; an empty
/// function lacks nothing. A view that is looked through is asked about as a
/// stage (an nn.reshape).
struct FusionTarget {
  std::function<std::optional<std::string>(mlir::Operation *anchor)>
      lacksAnchor;
  /// `chain` is what the stage would follow, views included, the anchor first.
  std::function<std::optional<std::string>(
      mlir::Operation *stage, llvm::ArrayRef<mlir::Operation *> chain)>
      lacksStage;
};

struct FusionOptions {
  FusionTarget target;
  /// The largest table that one stage may need, in bytes: 16-bit codes to
  /// 16-bit codes by default.
  int64_t maxTableBytes = 128 << 10;
  /// All tables of one chain together, in bytes.
  int64_t tableBudget = 256 << 10;
  /// The target is better at codes than at floats, and looks them up in tables:
  /// before anything is fused, operators that together map codes to codes
  /// become an nn.lookup (Tables.h), those on rows of a one-hot an nn.gather
  /// (RowTables.h), and max pools of floats before a Quantize are pools of
  /// codes (PoolsOnCodes.h).
  bool prefersCodes = false;
  /// Quantized results are exact reals, rounded once (--numerics=ideal).
  bool idealRounding = true;
  /// For tests: taken to hold whatever it says.
  std::optional<Predicate> without;
};

/// Fuses in all functions of `module`, greedily: each elementwise operator
/// joins the chain of an operand, the first that may take it. What was fused
/// before is taken apart first, and limits on tables are judged on what is left
/// of a chain, so fusing again changes nothing, whatever the order of
/// independent operators. Pre-condition: no Quantize closes a group
/// (rewrite::quantize). Post-condition: verifyFused holds.
void fuse(mlir::ModuleOp module, const FusionOptions &options = {});

/// Puts every chain back in its place. Post-condition: no nn.fused is left.
void unfuse(mlir::ModuleOp module);

/// Checks what the operation's own rules (FUSED-n) cannot see:
///
///   FUSEDMODULE-1  taken apart, no Quantize closes a group
///                  (ops/QuantizedGroup.h): a chain that the graph would read
///                  as a group has another meaning than its operators in order
///
/// The module does not change. Failures are Internal.
Status verifyFused(mlir::ModuleOp module);

/// Registers the passes `--nn-fuse` and `--nn-unfuse`.
void registerFusionPasses();

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_FUSION_H
