//===- Product.h - products as the matrix engine sees them ------*- C++ -*-===//

#ifndef TALLY_SCHEDULE_LOWER_PRODUCT_H
#define TALLY_SCHEDULE_LOWER_PRODUCT_H

#include "tally/ops/CodeProblems.h"
#include "tally/schedule/lower/Epilogue.h"

#include <functional>

namespace tally::schedule {

/// [y, y + rows) x [x, x + width) of pixels.
struct Rows {
  int64_t y = 0, rows = 1, x = 0, width = 1;
};

/// Pixels of a tensor: bytes from one index to the next.
struct Pixels {
  Tensor tensor;
  int64_t image = 0, group = 0, row = 0, column = 0;
  int64_t channel = 1; ///< the element's bytes, unless it is in global memory
};

/// A product as the matrix engine sees it; a matrix product is a convolution of
/// one row of pixels by a window of one tap.
struct Product {
  mlir::Operation *anchor = nullptr;
  int64_t number = 0; ///< of several that the anchor is cut into
  bool depthwise = false;
  int64_t images = 1, groups = 1;
  int64_t outH = 1, outW = 1;
  int64_t columns = 1;  ///< results of a pixel in a group
  int64_t channels = 1; ///< terms of a tap in a group
  int64_t kernelH = 1, kernelW = 1, stepH = 1, stepW = 1;
  int64_t dilationH = 1, dilationW = 1, beforeH = 0, beforeW = 0;
  int64_t inH = 1, inW = 1;
  /// Codes; without storage where the right operand is computed: `right`.
  eval::Tensor weight;
  /// Flat weight of (group, term, column), terms counting taps, then channels.
  std::function<int64_t(int64_t, int64_t, int64_t)> weightElement;
  /// Entry of the weight's grid of a column over all groups.
  std::function<int64_t(int64_t)> weightChannel;
  /// A computed right operand: terms as pixels of neighbouring columns, a
  /// matrix for each image.
  std::optional<Pixels> right;
  Pixels in, out;
  std::optional<Pixels> residual;
  int64_t inZero = 0;

  int64_t terms() const { return kernelH * kernelW * channels; }
};

/// Fills bias and record of each channel, with those that are known of the
/// product's anchor and number. `biasOf` is finite; `factor` scales the
/// products.
Status fillRecords(Scheduler &s, const Product &product,
                   const eval::Quantization &input,
                   const eval::Quantization &result,
                   llvm::function_ref<nn::BiasParts(int64_t)> biasOf,
                   float factor, Epilogue &epilogue);

/// Weights and parameters of a part of a product in SRAM.
struct LoadedPart {
  mlir::Value storage;
  int64_t parameterBytes = 0, weightOffset = 0;
};

/// A product whose weights stay in SRAM while it runs for pieces of its output.
class ResidentProduct {
public:
  ResidentProduct(Product product, Epilogue epilogue)
      : product(std::move(product)), epilogue(std::move(epilogue)) {}

  /// Computes the rows `band` of all images. The tensors are in SRAM and found
  /// with the row indices of the whole. The first call loads the weights.
  Status emit(Scheduler &s, const Pixels &in, const Pixels &out,
              const std::optional<Pixels> &residual, int64_t images,
              const Rows &band);

private:
  Product product;
  Epilogue epilogue;
  std::vector<LoadedPart> loaded;
};

/// Emits the commands: loads of weights and parameters, blocks of pixels.
Status emitProduct(Scheduler &s, const Product &product,
                   const Epilogue &epilogue);

} // namespace tally::schedule

#endif // TALLY_SCHEDULE_LOWER_PRODUCT_H
