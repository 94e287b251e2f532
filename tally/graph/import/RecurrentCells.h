//===- RecurrentCells.h - one step of LSTM, GRU and RNN ---------*- C++ -*-===//
//
// The equations of the ONNX standard (operators LSTM, GRU and RNN), with one
// order of float operations:
//
//   * X·Wᵀ of all steps is one product; the bias that does not depend on the
//     step is one sum Wb + Rb, added to each row behind its products.
//   * A step adds that row to its own product H·Rᵀ, then applies peepholes,
//     clip and functions.
//   * Sums and products of gates are taken as the equations are written, from
//     left to right.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_RECURRENTCELLS_H
#define TALLY_GRAPH_IMPORT_RECURRENTCELLS_H

#include "tally/graph/import/Activations.h"
#include "tally/graph/import/RecurrentOperands.h"

#include <memory>

namespace tally::nn {

/// What one step hands to the next one: H [N, H], and for LSTM C [N, H].
struct CellState {
  mlir::Value hidden, cell;
};

/// W or R of one direction.
struct RecurrentWeights {
  mlir::Value matrix;      ///< [G*H, K]; as codes [K, G*H]
  mlir::Value scale, zero; ///< of codes: [1] or [G*H]; else null

  /// rows [N, K] times the weights, plus `addend` where it is not null. Rows
  /// that meet codes become uint8 codes of a grid that fits them all, and the
  /// products are sums of integers: float(sum) * (row scale * scale) + addend.
  mlir::Value product(Terms &terms, mlir::Value rows, mlir::Value addend) const;
};

/// The parameters of one direction.
struct CellParameters {
  RecurrentSizes sizes;
  mlir::Type element;
  RecurrentWeights hiddenWeights;    ///< R
  mlir::Value inputBias, hiddenBias; ///< Wb, Rb [G*H]; null: none
  mlir::Value peepholes;             ///< P [3*H]; null: none
  std::optional<float> clip;
  std::vector<Activation> functions;
};

/// One direction of a recurrent operator.
class RecurrentCell {
public:
  explicit RecurrentCell(CellParameters parameters)
      : parameters(std::move(parameters)) {}
  virtual ~RecurrentCell() = default;

  /// What is added to X·Wᵀ: [G*H], or null.
  virtual mlir::Value inputBias(Terms &terms) const;
  /// The state behind a step whose row of X·Wᵀ is `input` [N, G*H].
  virtual CellState step(Terms &terms, mlir::Value input,
                         const CellState &old) const = 0;

protected:
  /// Function `i` of the clipped value.
  mlir::Value gate(Terms &terms, size_t i, mlir::Value value) const;
  /// Gates [first, first + count) of `value`, along dimension `axis`.
  mlir::Value gates(Terms &terms, mlir::Value value, int64_t axis,
                    int64_t first, int64_t count) const;
  /// 1 - value
  mlir::Value complement(Terms &terms, mlir::Value value) const;

  CellParameters parameters;
};

/// What tells the recurrent operators apart.
struct RecurrentKind {
  RecurrentForm form;
  llvm::ArrayRef<const char *> functions; ///< of one direction, by default
  std::unique_ptr<RecurrentCell> (*makeCell)(NodeImport &node,
                                             CellParameters parameters);
};

const RecurrentKind &lstmKind();
const RecurrentKind &gruKind();
const RecurrentKind &rnnKind();
const RecurrentKind &dynamicLstmKind();

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_RECURRENTCELLS_H
