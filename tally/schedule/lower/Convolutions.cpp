//===- Convolutions.cpp - convolutions and matrix products ----------------===//
//
// A convolution is a product over windows of pixels, a matrix product one over
// a row of pixels by a window of one tap. What follows in an nn.fused becomes
// stages of the output stage.
//
//===----------------------------------------------------------------------===//

#include "tally/schedule/lower/Convolutions.h"
#include "tally/graph/Locations.h"
#include "tally/graph/Types.h"
#include "tally/schedule/Schedule.h"
#include "tally/schedule/lower/Lowerings.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

std::optional<eval::Tensor> tally::schedule::constantOf(Value value) {
  auto constant =
      value ? value.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  if (!constant)
    return std::nullopt;
  return nn::hostTensor(constant.getValue(),
                        cast<RankedTensorType>(constant.getType()));
}

ProductNode tally::schedule::productNodeOf(Operation *op) {
  ProductNode node;
  node.result = op->getResult(0);
  auto fused = dyn_cast<nn::FusedOp>(op);
  if (!fused) {
    node.anchor = op;
    return node;
  }
  auto chain = fused.chain();
  node.anchor = chain.front();
  node.stages.assign(chain.begin() + 1, chain.end());
  for (auto [argument, value] :
       llvm::zip(fused.getBody().front().getArguments(), fused.getInputs()))
    node.outer.map(argument, value);
  return node;
}

Status tally::schedule::checkGrids(Scheduler &s, RankedTensorType input,
                                   const std::optional<eval::Tensor> &weight) {
  auto grid = nn::quantizedElement(input);
  if (!grid || !weight || !weight->isQuantized())
    return s.unsupported("the matrix engine multiplies codes",
                         "quantize the node's operands, and its result");
  if (!nn::gridOf(grid).perTensor() || eval::byteSize(weight->element) != 1 ||
      grid.getStorageTypeIntegralWidth() > 8)
    return s.unsupported("the matrix engine takes codes of 8 bits, the input's "
                         "of one grid");
  for (int64_t zero : weight->quant->zeroPoints)
    if (zero != weight->quant->zeroPoints.front())
      return s.unsupported("zero points of the weights that differ");
  return Status::success();
}

static Status appendStages(Scheduler &s, const ProductNode &node,
                           Epilogue &epilogue) {
  Value chained = node.anchor->getResult(0);
  for (Operation *stage : node.stages) {
    if (Status status = epilogue.append(s, stage, chained); !status)
      return status;
    chained = stage->getResult(0);
  }
  return Status::success();
}

Result<Tensor> tally::schedule::channelsLast(Scheduler &s, const Tensor &tensor,
                                             Value value) {
  if (tensor.strides[1] == tensor.bytes() || tensor.isGlobal())
    return tensor; // bands of it get channels innermost
  auto moved =
      s.allocate(nn::tensorName(value), cast<RankedTensorType>(value.getType()),
                 Layout::ChannelsLast);
  if (!moved)
    return moved;
  if (Status status = copyElements(s, tensor, *moved); !status)
    return status.takeError();
  return moved;
}

/// Allocates the result, resolves the residual, emits, binds.
static Status
finish(Scheduler &s, Product &p, const ProductNode &node,
       const Epilogue &epilogue, Layout layout,
       llvm::function_ref<Result<Pixels>(const Tensor &)> pixelsOf) {
  auto out = llvm::isa<nn::ConvOp>(node.anchor)
                 ? s.allocateStrided(node.result, layout)
                 : s.allocateResult(node.result, layout);
  if (!out)
    return out.takeError();
  auto pixels = pixelsOf(*out);
  if (!pixels)
    return pixels.takeError();
  p.out = *pixels;
  if (Value residual = epilogue.residual()) {
    residual = node.outer.lookupOrDefault(residual);
    auto tensor = s.home(residual);
    if (!tensor)
      return tensor.takeError();
    if (layout == Layout::ChannelsLast)
      tensor = channelsLast(s, *tensor, residual);
    if (!tensor)
      return tensor.takeError();
    auto places = pixelsOf(*tensor);
    if (!places)
      return places.takeError();
    p.residual = *places;
  }
  if (Status status = emitProduct(s, p, epilogue); !status)
    return status;
  s.bind(node.result, *out);
  return Status::success();
}

Result<Pixels> tally::schedule::imagePixels(Scheduler &s, const Tensor &tensor,
                                            int64_t groupChannels) {
  if (tensor.strides[1] != tensor.bytes() && tensor.shape[1] != 1 &&
      !tensor.isGlobal())
    return s.unsupported("a tensor whose channels do not lie together");
  Pixels pixels;
  pixels.tensor = tensor;
  pixels.image = tensor.strides[0];
  pixels.channel = tensor.strides[1];
  pixels.group = groupChannels * tensor.bytes();
  bool isLine = tensor.rank() == 3;
  pixels.row = isLine ? 0 : tensor.strides[2];
  pixels.column = tensor.strides[isLine ? 2 : 3];
  return pixels;
}

static void setWindow(Product &p, nn::ConvOp op, ArrayRef<int64_t> input,
                      ArrayRef<int64_t> kernel, ArrayRef<int64_t> output) {
  size_t n = input.size();
  auto at = [n](ArrayRef<int64_t> list, size_t fromEnd, int64_t fallback) {
    return fromEnd < n ? list[n - 1 - fromEnd] : fallback;
  };
  ArrayRef<int64_t> begins = op.getPads().take_front(n);
  p.inW = at(input, 0, 1), p.inH = at(input, 1, 1);
  p.kernelW = at(kernel, 0, 1), p.kernelH = at(kernel, 1, 1);
  p.outW = at(output, 0, 1), p.outH = at(output, 1, 1);
  p.stepW = at(op.getStrides(), 0, 1), p.stepH = at(op.getStrides(), 1, 1);
  p.dilationW = at(op.getDilations(), 0, 1);
  p.dilationH = at(op.getDilations(), 1, 1);
  p.beforeW = at(begins, 0, 0), p.beforeH = at(begins, 1, 0);
}

static Product convProduct(const Scheduler &s, nn::ConvOp op,
                           RankedTensorType input, const eval::Tensor &weight,
                           ArrayRef<int64_t> output) {
  Product p;
  p.anchor = op;
  p.weight = weight;
  p.images = input.getShape()[0];
  p.groups = op.getGroup();
  p.columns = weight.shape[0] / p.groups;
  p.channels = weight.shape[1];
  setWindow(p, op, input.getShape().drop_front(2),
            ArrayRef<int64_t>(weight.shape).drop_front(2),
            output.drop_front(2));
  int64_t taps = p.kernelH * p.kernelW, channels = p.channels;
  int64_t columns = p.columns;
  auto element = [taps, channels](int64_t m, int64_t term) {
    return (m * channels + term % channels) * taps + term / channels;
  };
  bool hasMode = llvm::any_of(s.machine.engines, [](const auto &engine) {
    return engine.matrix.depthwiseChannels > 0;
  });
  p.depthwise = hasMode && p.groups > 1 && channels == 1 && columns == 1;
  if (p.depthwise) {
    p.columns = p.groups;
    p.groups = 1;
    columns = 0;
  }
  p.weightElement = [element, columns](int64_t g, int64_t term, int64_t n) {
    return element(g * columns + n, term);
  };
  p.weightChannel = [](int64_t m) { return m; };
  p.inZero = nn::gridOf(nn::quantizedElement(input)).zeroPoint();
  return p;
}

Result<Convolution> tally::schedule::convolutionOf(Scheduler &s,
                                                   const ProductNode &node) {
  auto op = cast<nn::ConvOp>(node.anchor);
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto weight = constantOf(node.operand(1));
  if (Status status = checkGrids(s, input, weight); !status)
    return status.takeError();
  if (input.getRank() > 4)
    return s.unsupported("a window of more than two dimensions");
  auto bias = constantOf(op.getBias() ? node.operand(2) : Value());
  if (op.getBias() && !bias)
    return s.unsupported("a bias that is computed");
  auto codes = cast<RankedTensorType>(op.getResult().getType());
  auto result = nn::quantizedElement(codes);
  if (!result)
    return s.unsupported("a result that is not quantized");
  Convolution conv{convProduct(s, op, input, *weight, codes.getShape()), {}};
  eval::Quantization grid = nn::gridOf(nn::quantizedElement(input));
  auto biasOf = [&](int64_t m) {
    return bias ? nn::biasParts(*bias, m, m, grid.scale(),
                                weight->quant->scale(m))
                : nn::BiasParts();
  };
  if (Status status = fillRecords(s, conv.product, grid, nn::gridOf(result),
                                  biasOf, 1, conv.epilogue);
      !status)
    return status.takeError();
  if (Status status = appendStages(s, node, conv.epilogue); !status)
    return status.takeError();
  return conv;
}

static Status lowerConv(Scheduler &s, const ProductNode &node) {
  auto conv = convolutionOf(s, node);
  if (!conv)
    return conv.takeError();
  Product &p = conv->product;
  auto in = s.home(node.operand(0));
  if (!in)
    return in.takeError();
  auto last = channelsLast(s, *in, node.operand(0));
  if (!last)
    return last.takeError();
  auto pixels = imagePixels(s, *last, p.channels);
  if (!pixels)
    return pixels.takeError();
  p.in = *pixels;
  return finish(s, p, node, conv->epilogue, Layout::ChannelsLast,
                [&, columns = p.columns](const Tensor &tensor) {
                  return imagePixels(s, tensor, columns);
                });
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// The stride with which the dimensions [first, last) are walked as one, if
/// there is one.
static std::optional<int64_t> joinedStride(const Tensor &tensor, int64_t first,
                                           int64_t last) {
  int64_t stride = 0, next = 0;
  for (int64_t d = last; d-- > first;) {
    if (tensor.shape[d] == 1)
      continue;
    if (next != 0 && tensor.strides[d] != next)
      return std::nullopt;
    stride = stride == 0 ? tensor.strides[d] : stride;
    next = tensor.strides[d] * tensor.shape[d];
  }
  return stride;
}

/// Rows of matrices with neighbouring elements; leading dimensions are images,
/// or more rows. Nothing where strides do not say that: in global memory
/// elements may lie apart, bands of them lie together.
static std::optional<Pixels> matrixRows(const Tensor &tensor, bool hasImages) {
  int64_t rank = tensor.rank();
  int64_t rows = hasImages ? rank - 2 : 0;
  auto image = joinedStride(tensor, 0, rows);
  auto row = joinedStride(tensor, rows, rank - 1);
  bool isTogether =
      tensor.strides[rank - 1] == tensor.bytes() || tensor.shape[rank - 1] == 1;
  if (!image || !row || (!isTogether && !tensor.isGlobal()))
    return std::nullopt;
  Pixels pixels;
  pixels.tensor = tensor;
  pixels.channel = isTogether ? tensor.bytes() : tensor.strides[rank - 1];
  pixels.column = *row;
  pixels.image = *image;
  return pixels;
}

/// The same elements with the last two dimensions in each other's place.
static Tensor transposed(Tensor tensor) {
  size_t rank = tensor.shape.size();
  std::swap(tensor.shape[rank - 2], tensor.shape[rank - 1]);
  std::swap(tensor.strides[rank - 2], tensor.strides[rank - 1]);
  return tensor;
}

/// The rows of an operand, or of its transposed matrices, copied where it lives
/// if strides do not say them.
static Result<Pixels> matrixOperand(Scheduler &s, Value operand, bool hasImages,
                                    bool isTransposed = false) {
  auto tensor = s.home(operand);
  if (!tensor)
    return tensor.takeError();
  if (isTransposed)
    tensor = transposed(std::move(*tensor));
  if (auto rows = matrixRows(*tensor, hasImages))
    return *rows;
  auto type = cast<RankedTensorType>(operand.getType());
  auto moved = s.allocateAt(nn::tensorName(operand), type.clone(tensor->shape),
                            Layout::RowMajor, tensor->isGlobal());
  if (!moved)
    return moved.takeError();
  if (Status status = copyPieces(s, *tensor, *moved); !status)
    return status.takeError();
  return *matrixRows(*moved, hasImages);
}

namespace {
/// What Gemm and MatMul differ in.
struct MatrixTerms {
  bool transA = false, transB = false;
  float alpha = 1, beta = 1;
  Value bias;
};
} // namespace

/// A product by a computed tensor, an image for each matrix.
static Result<Product> computedProduct(Scheduler &s, const ProductNode &node,
                                       const MatrixTerms &terms, Product p) {
  auto left = cast<RankedTensorType>(node.operand(0).getType());
  auto right = cast<RankedTensorType>(node.operand(1).getType());
  if (!p.weight.quant->perTensor() ||
      left.getShape().drop_back(2) != right.getShape().drop_back(2))
    return s.unsupported("a computed right operand that is broadcast, or has a "
                         "grid for each column");
  auto rows = matrixOperand(s, node.operand(1), true, terms.transB);
  if (!rows)
    return rows.takeError();
  p.right = *rows;
  p.outW = left.getShape()[left.getRank() - 2];
  p.inW = p.outW;
  p.images = left.getNumElements() / (p.outW * p.channels);
  p.weightChannel = [](int64_t) { return 0; };
  return p;
}

/// a' b' with the bias of each column, or what of it the engine lacks.
static Result<Product> matrixProduct(Scheduler &s, const ProductNode &node,
                                     const MatrixTerms &terms) {
  auto input = cast<RankedTensorType>(node.anchor->getOperand(0).getType());
  auto codes = cast<RankedTensorType>(node.anchor->getResult(0).getType());
  auto weight = constantOf(node.operand(1));
  bool isComputed = !weight;
  if (isComputed)
    weight = nn::describe(cast<RankedTensorType>(node.operand(1).getType()));
  if (Status status = checkGrids(s, input, weight); !status)
    return status.takeError();
  if (terms.transA || (weight->rank() != 2 && !isComputed))
    return s.unsupported(
        "a transposed left operand, or a constant right one of "
        "more than two dimensions");
  if (!nn::quantizedElement(codes))
    return s.unsupported("a result that is not quantized");
  Product p;
  p.anchor = node.anchor;
  p.weight = *weight;
  p.columns = codes.getShape().back();
  p.channels = input.getShape().back();
  p.outW = codes.getNumElements() / p.columns;
  p.inW = p.outW;
  p.inZero = nn::gridOf(nn::quantizedElement(input)).zeroPoint();
  if (isComputed)
    return computedProduct(s, node, terms, std::move(p));
  p.weightChannel = [](int64_t n) { return n; };
  p.weightElement = [transB = terms.transB, columns = p.columns,
                     depth = p.channels](int64_t, int64_t term, int64_t n) {
    return transB ? n * depth + term : term * columns + n;
  };
  return p;
}

static Status fillMatrixRecords(Scheduler &s, const Product &p,
                                const ProductNode &node,
                                const MatrixTerms &terms, Epilogue &epilogue) {
  auto bias = constantOf(terms.bias);
  if (terms.bias && !bias)
    return s.unsupported("a bias that is computed");
  if (bias && bias->count() != 1 &&
      (bias->count() != p.columns || bias->shape.back() != p.columns))
    return s.unsupported("a bias that differs by row");
  auto grid =
      nn::gridOf(nn::quantizedElement(node.anchor->getOperand(0).getType()));
  auto result =
      nn::gridOf(nn::quantizedElement(node.anchor->getResult(0).getType()));
  // Under beta nothing is in accumulator units.
  float unit = terms.beta == 1 ? terms.alpha * grid.scale() : 0;
  auto biasOf = [&](int64_t n) {
    if (!bias)
      return nn::BiasParts();
    int64_t at = bias->count() == 1 ? 0 : n;
    nn::BiasParts parts =
        nn::biasParts(*bias, at, at, unit, p.weight.quant->scale(n));
    parts.real = parts.real * tally::quant::Dyadic::of(terms.beta);
    return parts;
  };
  return fillRecords(s, p, grid, result, biasOf, terms.alpha, epilogue);
}

static Status lowerMatrix(Scheduler &s, const ProductNode &node,
                          const MatrixTerms &terms) {
  auto p = matrixProduct(s, node, terms);
  if (!p)
    return p.takeError();
  Epilogue epilogue;
  if (Status status = fillMatrixRecords(s, *p, node, terms, epilogue); !status)
    return status;
  if (Status status = appendStages(s, node, epilogue); !status)
    return status;
  bool hasImages = p->right.has_value();
  auto in = matrixOperand(s, node.operand(0), hasImages);
  if (!in)
    return in.takeError();
  p->in = *in;
  return finish(s, *p, node, epilogue, Layout::RowMajor,
                [&](const Tensor &tensor) -> Result<Pixels> {
                  if (auto rows = matrixRows(tensor, hasImages))
                    return *rows;
                  return s.unsupported("a matrix whose rows lie apart");
                });
}

static Status lowerAnchor(Scheduler &s, const ProductNode &node) {
  if (llvm::isa<nn::ConvOp>(node.anchor))
    return lowerConv(s, node);
  if (auto gemm = dyn_cast<nn::GemmOp>(node.anchor))
    return lowerMatrix(s, node,
                       {gemm.getTransA(), gemm.getTransB(),
                        gemm.getAlpha().convertToFloat(),
                        gemm.getBeta().convertToFloat(),
                        gemm.getC() ? node.operand(2) : Value()});
  auto matmul = cast<nn::MatMulOp>(node.anchor);
  return lowerMatrix(s, node,
                     {matmul.getTransA(), matmul.getTransB(), 1, 1, Value()});
}

static Status lowerProduct(Scheduler &s, Operation *op) {
  return lowerAnchor(s, productNodeOf(op));
}

/// Whether the stage takes another tensor beside the value so far.
static bool takesOther(Operation *stage) {
  return llvm::isa<nn::AddOp, nn::SubOp, nn::MulOp>(stage);
}

std::optional<std::string>
tally::schedule::lacksInChain(ArrayRef<Operation *> chain, Operation *stage) {
  Operation *anchor = chain.front();
  if (!llvm::isa<nn::ConvOp, nn::GemmOp, nn::MatMulOp>(anchor) ||
      !nn::quantizedElement(anchor->getResult(0).getType()))
    return "only the matrix engine, on codes, has an output stage";
  if (!stage)
    return std::nullopt;
  // Either operand of a stage may be the value so far.
  for (Value operand : stage->getOperands())
    if (auto lacks = lacksStage(stage, operand))
      return lacks;
  if (takesOther(stage) && llvm::any_of(chain.drop_front(), takesOther))
    return "the output stage takes one other tensor, and has one";
  return std::nullopt;
}

llvm::ArrayRef<LoweringRow> tally::schedule::productLowerings() {
  static const LoweringRow rows[] = {
      {"nn.conv", lowerProduct, Reach::Pieces},
      {"nn.fused", lowerProduct, Reach::Pieces},
      {"nn.gemm", lowerProduct, Reach::Pieces},
      {"nn.matmul", lowerProduct, Reach::Pieces},
  };
  return rows;
}
