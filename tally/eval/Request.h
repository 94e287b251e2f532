//===- Request.h - one operator's evaluation --------------------*- C++ -*-===//

#ifndef TALLY_EVAL_REQUEST_H
#define TALLY_EVAL_REQUEST_H

#include "tally/eval/Tensor.h"

namespace tally::eval {

/// Whose arithmetic decides quantized results (numerics decision 2).
enum class Profile { Ideal, OnnxRuntime, TfLite };

/// What an operator is asked to compute. Inputs are in operand order, null for
/// an absent optional operand. Results are allocated by the caller with the
/// shape, element and grid that are wanted; the operator fills them.
struct Request {
  std::vector<const Tensor *> inputs;
  std::vector<Tensor> results;
  Profile profile = Profile::Ideal;

  const Tensor &in(size_t i) const { return *inputs[i]; }
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  Tensor &out(size_t i = 0) { return results[i]; }
};

} // namespace tally::eval

#endif // TALLY_EVAL_REQUEST_H
