//===- TransposedConvolutions.cpp - one convolution for each phase --------===//
//
// Input i and tap k meet in output i stride - before + k dilation. Outputs
// s i' + p of one phase p read only taps k with (p + before - k dilation)
// divisible by the stride s, at input i' + (p + before - k dilation) / s: an
// ordinary convolution with step 1 over those taps, last tap first, whose
// results lie s apart.
//
// Example: stride 2, taps 0 1 2, before 1. Phase 0 reads tap 1 at i'; phase 1
// reads tap 2 at i' and tap 0 at i' + 1. No product with an inserted zero is
// computed.
//
//===----------------------------------------------------------------------===//

#include "tally/graph/Types.h"
#include "tally/schedule/lower/Convolutions.h"
#include "tally/schedule/lower/Lowerings.h"

#include <numeric>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

namespace {
/// The window of one phase along one axis.
struct Phase {
  int64_t phase = 0, results = 1;
  int64_t before = 0, dilation = 1;
  SmallVector<int64_t> taps = {0}; ///< of the kernel, in the input's order
};

/// An axis of the operator.
struct TransposedAxis {
  int64_t kernel = 1, stride = 1, before = 0, dilation = 1, in = 1, out = 1;
  SmallVector<Phase> phases() const;
};
} // namespace

SmallVector<Phase> TransposedAxis::phases() const {
  SmallVector<Phase> all;
  for (int64_t p = 0; p < std::min(stride, out); ++p) {
    Phase phase{p,
                (out - p + stride - 1) / stride,
                0,
                dilation / std::gcd(stride, dilation),
                {}};
    for (int64_t k = kernel; k-- > 0;)
      if ((p + before - k * dilation) % stride == 0)
        phase.taps.push_back(k);
    if (!phase.taps.empty())
      phase.before = -(p + before - phase.taps[0] * dilation) / stride;
    all.push_back(std::move(phase));
  }
  return all;
}

static TransposedAxis axisOf(nn::ConvTransposeOp op, size_t fromEnd) {
  auto in = op.getInput().getType().getShape().drop_front(2);
  if (fromEnd >= in.size())
    return {};
  size_t d = in.size() - 1 - fromEnd;
  return {op.getWeight().getType().getShape()[d + 2],
          op.getStrides()[d],
          op.getPads()[d],
          op.getDilations()[d],
          in[d],
          op.getResult().getType().getShape()[d + 2]};
}

/// The convolution of two phases, without its tensors.
static Product productOf(nn::ConvTransposeOp op, const eval::Tensor &weight,
                         const Phase &h, const Phase &w) {
  Product p;
  p.anchor = op;
  p.weight = weight;
  p.images = op.getInput().getType().getShape()[0];
  p.groups = int64_t(op.getGroup());
  p.columns = weight.shape[1];
  p.channels = weight.shape[0] / p.groups;
  p.inH = axisOf(op, 1).in, p.inW = axisOf(op, 0).in;
  p.outH = h.results, p.outW = w.results;
  p.kernelH = int64_t(h.taps.size()), p.kernelW = int64_t(w.taps.size());
  p.dilationH = h.dilation, p.dilationW = w.dilation;
  p.beforeH = h.before, p.beforeW = w.before;
  p.inZero =
      nn::gridOf(nn::quantizedElement(op.getInput().getType())).zeroPoint();
  int64_t kernelW = axisOf(op, 0).kernel, taps = axisOf(op, 1).kernel * kernelW;
  p.weightElement = [=, channels = p.channels, columns = p.columns](
                        int64_t group, int64_t term, int64_t n) {
    auto tap = size_t(term / channels);
    int64_t row = h.taps[tap / w.taps.size()],
            column = w.taps[tap % w.taps.size()];
    int64_t channel = group * channels + term % channels;
    return (channel * columns + n) * taps + row * kernelW + column;
  };
  p.weightChannel = [columns = p.columns](int64_t m) { return m % columns; };
  return p;
}

/// Every stride-th pixel from the phases' first on.
static Pixels pixelsOf(const Pixels &all, int64_t strideH, int64_t strideW,
                       const Phase &h, const Phase &w) {
  Pixels pixels = all;
  pixels.tensor.offset += h.phase * all.row + w.phase * all.column;
  pixels.row *= strideH;
  pixels.column *= strideW;
  return pixels;
}

static Status emitPhase(Scheduler &s, nn::ConvTransposeOp op,
                        const eval::Tensor &weight,
                        const std::optional<eval::Tensor> &bias, Product p) {
  auto grid = nn::gridOf(nn::quantizedElement(op.getInput().getType()));
  auto biasOf = [&](int64_t m) {
    float scale = weight.quant->scale(m % p.columns);
    return bias ? nn::biasParts(*bias, m, m, grid.scale(), scale)
                : nn::BiasParts();
  };
  Epilogue epilogue;
  auto result = nn::gridOf(nn::quantizedElement(op.getResult().getType()));
  if (Status status = fillRecords(s, p, grid, result, biasOf, 1, epilogue);
      !status)
    return status;
  return emitProduct(s, p, epilogue);
}

static Status emitPhases(Scheduler &s, nn::ConvTransposeOp op,
                         const eval::Tensor &weight,
                         const std::optional<eval::Tensor> &bias,
                         const Pixels &in, const Pixels &out) {
  TransposedAxis axisH = axisOf(op, 1), axisW = axisOf(op, 0);
  int64_t number = 0;
  for (const Phase &h : axisH.phases())
    for (const Phase &w : axisW.phases()) {
      if (h.taps.empty() || w.taps.empty())
        return s.unsupported("results that no tap of the kernel reaches",
                             "use a kernel that covers the stride");
      Product p = productOf(op, weight, h, w);
      p.number = number++;
      p.in = in;
      p.out = pixelsOf(out, axisH.stride, axisW.stride, h, w);
      if (Status status = emitPhase(s, op, weight, bias, std::move(p)); !status)
        return status;
    }
  return Status::success();
}

static Status lowerConvTranspose(Scheduler &s, Operation *operation) {
  auto op = cast<nn::ConvTransposeOp>(operation);
  auto weight = constantOf(op.getWeight()), bias = constantOf(op.getBias());
  if (Status status = checkGrids(s, op.getInput().getType(), weight); !status)
    return status;
  if (op.getInput().getType().getRank() > 4)
    return s.unsupported("a window of more than two dimensions");
  if (op.getBias() && !bias)
    return s.unsupported("a bias that is computed");
  if (!nn::quantizedElement(op.getResult().getType()))
    return s.unsupported("a result that is not quantized");
  auto home = s.home(op.getInput());
  auto last = home ? channelsLast(s, *home, op.getInput()) : std::move(home);
  if (!last)
    return last.takeError();
  auto out = s.allocateResult(op.getResult(), Layout::ChannelsLast);
  if (!out)
    return out.takeError();
  auto group = int64_t(op.getGroup());
  auto from = imagePixels(s, *last, weight->shape[0] / group);
  if (!from)
    return from.takeError();
  auto to = imagePixels(s, *out, weight->shape[1]);
  if (!to)
    return to.takeError();
  s.bind(op.getResult(), *out);
  return emitPhases(s, op, *weight, bias, *from, *to);
}

llvm::ArrayRef<LoweringRow> tally::schedule::transposedLowerings() {
  static const LoweringRow rows[] = {
      {"nn.conv_transpose", lowerConvTranspose, Reach::Pieces},
  };
  return rows;
}
