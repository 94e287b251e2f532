//===- Evidence.h - what is known of elements that differ -------*- C++ -*-===//
//
// A step of the graph, computed again from the reference's own operands under
// each rule that has an outcome (report/Attribution.h).
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DIFF_EVIDENCE_H
#define TALLY_DRIVER_DIFF_EVIDENCE_H

#include "tally/driver/diff/LocalStep.h"
#include "tally/report/Attribution.h"

namespace tally {

/// What is known of a tensor of codes or integers that differs.
struct EvidenceRequest {
  mlir::Value value;
  const LocalStep &step;
  eval::TensorOf tensorOf;             ///< what the reference's nodes read
  const eval::Tensor &ours, &expected; ///< expected: the reference's
  const eval::Tensor &local;           ///< our rule on the reference's operands
  const eval::Tensor *shown = nullptr; ///< the float it quantized, if shown
  bool operandsDiffer = false;
  bool isOnnxRuntime = false;
  std::string maker; ///< in onnxruntime's graph; may be empty
  /// Whether the reference keeps an int8 tensor as uint8, 128 higher; null when
  /// it does not so keep the result.
  llvm::function_ref<bool(mlir::Value)> isUnsigned;
};

class Evidence {
public:
  explicit Evidence(const EvidenceRequest &request);

  /// Of element `i`, whose codes differ.
  report::CodeEvidence at(int64_t i) const;
  report::CodeGrid gridAt(int64_t i) const;

private:
  void computeAgain(const EvidenceRequest &request);

  eval::Tensor ours, expected, local;
  eval::AxisIndex channel;
  bool operandsDiffer, isUnsigned;
  report::RuleSet possible;
  /// Outcomes; rules that do not apply to the operator have no tensor.
  std::optional<eval::Tensor> exact, inFloat, fp32Scale, integerKernel,
      doubleRounding, floatBound, shown, shownCode;
};

} // namespace tally

#endif // TALLY_DRIVER_DIFF_EVIDENCE_H
