//===- EvaluatorBench.cpp - how fast the judge is -------------------------===//
//
// Integer convolution and matrix product of the exact evaluator at shapes of
// ResNet50 and BERT, on one core, in multiply-adds per second. The evaluator is
// meant to do at least 1 G/s, so that whole networks can be judged in tests.
//
//===----------------------------------------------------------------------===//

#include "tally/eval/Convolution.h"
#include "tally/eval/MatrixProduct.h"

#include <benchmark/benchmark.h>

#include <random>

using namespace tally::eval;

static Tensor codes(Shape shape, Quantization grid, unsigned seed) {
  Tensor tensor{std::move(shape), Element::I8, std::move(grid), nullptr};
  tensor.allocate();
  std::mt19937 random(seed);
  for (int8_t &code : tensor.values<int8_t>())
    code = static_cast<int8_t>(random());
  return tensor;
}

static Quantization grid(float scale, int64_t zeroPoint) {
  return {-128, 127, {scale}, {zeroPoint}, -1};
}

static void countMacs(benchmark::State &state, int64_t macs) {
  state.counters["MAC/s"] = benchmark::Counter(
      static_cast<double>(macs), benchmark::Counter::kIsIterationInvariantRate);
}

/// A square convolution with padding that keeps the size: channels, outputs,
/// size, kernel.
static void convolution(benchmark::State &state) {
  int64_t channels = state.range(0), outputs = state.range(1),
          size = state.range(2), kernel = state.range(3), pad = kernel / 2;
  Tensor input = codes({1, channels, size, size}, grid(0.02f, -7), 1);
  Tensor weight = codes({outputs, channels, kernel, kernel}, grid(0.01f, 0), 2);
  Request request;
  request.inputs = {&input, &weight, nullptr};
  request.results.push_back(codes({1, outputs, size, size}, grid(0.1f, 3), 3));
  WindowGeometry window{{size, size}, {size, size},         {kernel, kernel},
                        {1, 1},       {pad, pad, pad, pad}, {1, 1}};
  for (auto _ : state)
    if (!evaluateConvolution(request, window, /*group=*/1))
      state.SkipWithError("the convolution failed");
  countMacs(state, outputs * size * size * channels * kernel * kernel);
}
BENCHMARK(convolution)
    ->Unit(benchmark::kMillisecond)
    ->Args({64, 64, 56, 3})
    ->Args({256, 64, 56, 1})
    ->Args({512, 512, 7, 3});

static void matrixProduct(benchmark::State &state) {
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  Tensor a = codes({m, k}, grid(0.02f, -7), 1);
  Tensor b = codes({k, n}, grid(0.01f, 0), 2);
  Request request;
  request.inputs = {&a, &b};
  request.results.push_back(codes({m, n}, grid(0.1f, 3), 3));
  for (auto _ : state)
    if (!evaluateMatMul(request))
      state.SkipWithError("the product failed");
  countMacs(state, m * k * n);
}
BENCHMARK(matrixProduct)
    ->Unit(benchmark::kMillisecond)
    ->Args({128, 768, 3072})
    ->Args({512, 512, 512});
