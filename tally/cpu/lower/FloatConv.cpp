//===- FloatConv.cpp - convolutions of floats on the CPU ------------------===//
//
// Implicit matrix product: for a block of output pixels the input patches are
// gathered into a small panel [term][pixel], 0 in the padding, whose columns
// are the lanes of the product (kernels/FloatProduct.h). Rows are output
// channels. Which input pixel a tap reads for each pixel of the block is found
// once and serves all channels:
//
//     3x3, 5 pixels wide, pad 1, block of row 0, tap (1, 0):  -1 0 1 2 3
//
// Cost: a load and a store for each term and pixel, beside outputs / 16 vector
// operations.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/lower/FloatConv.h"
#include "tally/cpu/LaneCodes.h"
#include "tally/cpu/kernels/FloatProduct.h"

using namespace mlir;
using namespace tally;
using namespace tally::cpu;

/// The weight as [output channel][k], flat.
static Value floatWeights(KernelBuilder &k, const ConvSizes &s) {
  if (!s.isTransposed)
    return k.flat(k.operand(1));
  int64_t rows = s.group * s.outputs;
  if (auto constant = k.constantOperand(1)) {
    eval::Tensor weight = *constant;
    weight.shape = {rows * s.k_};
    weight.allocate();
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t i = 0; i < s.k_; ++i)
        weight.data<float>()[m * s.k_ + i] =
            constant->data<float>()[s.weightElement(m, i)];
    return k.constant(weight);
  }
  Value source = k.operand(1), weight = k.scratch({rows * s.k_}, k.f32());
  Value flat = k.flat(source);
  k.loops({s.group, s.channels, s.outputs, s.taps}, [&](ValueRange at) {
    auto place = [&](Value outer, Value middle, int64_t middleSize, Value tap) {
      Value plane = k.addIndex(k.mulIndex(outer, middleSize), middle);
      return k.addIndex(k.mulIndex(plane, s.taps), tap);
    };
    Value c = k.addIndex(k.mulIndex(at[0], s.channels), at[1]);
    Value m = k.addIndex(k.mulIndex(at[0], s.outputs), at[2]);
    Value reversed = arith::SubIOp::create(k.b, k.index(s.taps - 1), at[3]);
    k.store(k.load(flat, place(c, at[2], s.outputs, at[3])), weight,
            place(m, at[1], s.channels, reversed));
  });
  return weight;
}

/// Whether pixel p of the result reads pixel p of the input and no other.
static bool isPointwise(const ConvSizes &s) {
  const WindowShape &w = s.window;
  auto all = [](const eval::Shape &values, int64_t value) {
    return llvm::all_of(values, [&](int64_t each) { return each == value; });
  };
  return s.taps == 1 && w.input == w.output && all(w.strides, 1) &&
         all(w.pads, 0) && all(w.spread, 1);
}

namespace {
/// Fills the panel [term][pixel] of a block of floats, neighbouring pixels
/// innermost: where a tap reads for each pixel is found once for all channels.
struct FloatPatches {
  KernelBuilder &k;
  const ConvSizes &s;
  Value input, panel;
  int64_t width; ///< of a line of the panel

  void fill(Value image, Value group, Value start) const {
    Value firstChannel = k.mulIndex(group, s.channels);
    if (isPointwise(s))
      return forEachElement(image, firstChannel, k.index(0), [&](Value pixel) {
        return Place{k.addIndex(start, pixel), {}};
      });
    Value places = k.scratch({s.block}, k.i32());
    k.loops(s.window.kernel, [&](ValueRange tap) {
      k.loop(s.block,
             [&](Value pixel) { findPlace(tap, start, pixel, places); });
      Value flat = k.index(0);
      for (auto [index, size] : llvm::zip(tap, s.window.kernel))
        flat = k.addIndex(k.mulIndex(flat, size), index);
      forEachElement(image, firstChannel, flat,
                     [&](Value pixel) { return placeAt(places, pixel); });
    });
  }

private:
  /// An input pixel, and whether it is one; none: it is.
  struct Place {
    Value pixel, isInside;
  };

  /// The input pixel that a tap reads for a pixel of the block, -1 for padding.
  void findPlace(ValueRange tap, Value start, Value pixel, Value places) const {
    WindowPosition origin = windowOrigin(k, s.window, k.addIndex(start, pixel));
    TapPlace place = tapPlace(k, s.window, origin, tap);
    Value index = arith::IndexCastOp::create(k.b, k.i32(), place.pixel);
    Value none = k.integer(k.i32(), -1);
    k.store(arith::SelectOp::create(k.b, place.valid, index, none), places,
            pixel);
  }

  Place placeAt(Value places, Value pixel) const {
    Value place = k.load(places, pixel), zero = k.integer(k.i32(), 0);
    Value safe = arith::MaxSIOp::create(k.b, place, zero);
    Value isInside =
        arith::CmpIOp::create(k.b, arith::CmpIPredicate::sge, place, zero);
    return {k.toIndex(safe, /*isSigned=*/false), isInside};
  }

  void forEachElement(Value image, Value firstChannel, Value tap,
                      llvm::function_ref<Place(Value pixel)> placeOf) const {
    k.loops({s.channels, s.block}, [&](ValueRange at) {
      Place place = placeOf(at[1]);
      Value value = k.load(
          input, s.inputElement(k, image, k.addIndex(firstChannel, at[0]),
                                place.pixel));
      if (place.isInside)
        value = arith::SelectOp::create(k.b, place.isInside, value,
                                        k.real(k.f32(), 0));
      Value term = k.addIndex(k.mulIndex(at[0], s.taps), tap);
      k.store(value, panel, k.addIndex(k.mulIndex(term, width), at[1]));
    });
  }
};
} // namespace

Status tally::cpu::lowerFloatConv(KernelBuilder &k, const ConvSizes &s) {
  if (s.input.element != eval::Element::F32)
    return k.unsupported(std::string(eval::name(s.input.element)) +
                         " operands");
  Value input = k.flat(k.operand(0)), weight = floatWeights(k, s);
  Value bias = k.hasOperand(2) ? k.operand(2) : Value();
  FloatPanel panel{s.k_, s.block};
  static_assert(kBlockPixels <= kFloatBlock, "the panel has one block");
  Value memory = panel.scratch(k);
  FloatPatches patches{k, s, input, memory, panel.width(0)};
  forEachPixelBlock(k, s, [&](Value image, Value group, Value start) {
    patches.fill(image, group, start);
    Value firstRow = k.mulIndex(group, s.outputs);
    emitFloatProduct(
        k, {s.outputs, s.block, s.k_},
        [&](Value row, Value term) {
          Value base = k.mulIndex(k.addIndex(firstRow, row), s.k_);
          return k.load(weight, k.addIndex(base, term));
        },
        memory,
        [&](Value row, Value pixel, int64_t count, Value sums) {
          Value channel = k.addIndex(firstRow, row);
          if (bias)
            sums = arith::AddFOp::create(
                k.b, sums, spreadLike(k, sums, k.load(bias, channel)));
          k.storeLanes(
              sums,
              s.resultElement(k, image, channel, k.addIndex(start, pixel)),
              count, s.pixels);
        });
  });
  return Status::success();
}
