//===- RecurrentOperands.h - operands of LSTM, GRU and RNN ------*- C++ -*-===//
//
// Rules of the recurrent operators (with RNN-4 and RNN-5 of Activations.h):
//   RNN-1  X [T, N, I] (or [N, T, I] with layout 1), W [D, G*H, I],
//          R [D, G*H, H], B [D, 2*G*H], sequence_lens [N], initial_h and
//          initial_c [D, N, H] (or [N, D, H]), P [D, 3*H], none of them empty;
//          hidden_size, where it is given, is H
//   RNN-2  direction is forward, reverse (D = 1) or bidirectional (D = 2)
//   RNN-3  X, W, R, B, P and the initial values are floats of one type,
//          sequence_lens are int32
//   RNN-6  clip is positive
//   RNN-7  steps count as 16 nodes each in FLOW-4
//   RNN-8  weights that are codes (com.microsoft DynamicQuantizeLSTM) are int8
//          or uint8, W [D, I, G*H] and R [D, H, G*H], with scales [D] or
//          [D, G*H] and zero points of the same shape and the weights' type
//
// T steps, N sequences, I inputs, H hidden values, D directions, G gates.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_RECURRENTOPERANDS_H
#define TALLY_GRAPH_IMPORT_RECURRENTOPERANDS_H

#include "tally/graph/import/NodeImport.h"

namespace tally::nn {

struct RecurrentSizes {
  int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 0;
  int64_t gates = 0;
};

/// Operand numbers, the same in all three operators.
enum RecurrentOperand : size_t {
  kInput,
  kInputWeights,
  kHiddenWeights,
  kBiases,
  kLengths,
  kInitialHidden,
  kInitialCell,
  kPeepholes,
  kInputScale, // of codes, as are the rest
  kInputZero,
  kHiddenScale,
  kHiddenZero
};

/// What tells the operands of the recurrent operators apart.
struct RecurrentForm {
  int64_t gates;
  bool hasCell;  ///< LSTM's C and peepholes
  bool hasCodes; ///< weights are codes, and transposed
};

/// What a recurrent node works on, checked by RNN-1 to RNN-3 and RNN-6.
struct RecurrentOperands {
  RecurrentSizes sizes;
  bool isReversed = false;   ///< of the only direction
  bool isBatchFirst = false; ///< layout 1
  std::optional<float> clip; ///< of the gates
  mlir::Type element;
  mlir::Value input;   ///< as the node has it
  mlir::Value lengths; ///< null where all sequences have T steps
  std::optional<std::vector<int64_t>> knownLengths;

  static Result<RecurrentOperands> read(NodeImport &node,
                                        const RecurrentForm &form);
};

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_RECURRENTOPERANDS_H
