//===- NodeImport.h - what a node's import rule works with ------*- C++ -*-===//
//
// One row per source operator maps a node to nn operations. A rule reads its
// operands and attributes through NodeImport, which reports what is missing or
// wrong with the node's name, and creates operations whose result types follow
// from their inference rules.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_GRAPH_IMPORT_NODEIMPORT_H
#define TALLY_GRAPH_IMPORT_NODEIMPORT_H

#include "tally/graph/Rejection.h"
#include "tally/model/Model.h"
#include "tally/ops/Inference.h"
#include "tally/support/Result.h"

#include "mlir/IR/Builders.h"

namespace tally::nn {

/// The codes that a tensor can hold. The IR stores elements below 8 bits one
/// per byte, so its type alone does not tell.
struct CodeRange {
  CodeRange(eval::Element element)
      : qmin(eval::minValue(element)), qmax(eval::maxValue(element)) {}
  CodeRange(int64_t qmin, int64_t qmax) : qmin(qmin), qmax(qmax) {}
  /// Of an integer type of the model, any width.
  static CodeRange of(model::ElementType type);
  bool operator==(const CodeRange &) const = default;
  int64_t qmin, qmax;
};

/// What the importer knows of the model's values by name.
struct ImportedValues {
  llvm::StringMap<mlir::Value> values;
  /// The model's type of each value with elements below 8 bits.
  llvm::StringMap<model::ElementType> narrow;
  /// Constants that have an operation already, which nested graphs share.
  llvm::DenseMap<const model::TensorData *, mlir::Value> constants;
  /// What is added to the names of the nodes and tensors in the copy of a
  /// nested graph that is being imported, such as "@3".
  std::string suffix;
  /// Nodes in the copies of nested graphs so far, and steps of recurrences.
  int64_t unrolled = 0;
};

/// The import of one node. Constants are nn.constant operations; a value of a
/// quantized type can stand where the model has plain integers, and operand()
/// inserts the cast.
class NodeImport {
public:
  NodeImport(mlir::OpBuilder &builder, ImportedValues &imported,
             const model::Node &node);

  const model::Node &node;
  mlir::OpBuilder &builder;
  mlir::Location loc; ///< of the operations that are created

  /// Location of a step on the way to the outputs, named NODE@STEP, or NODE
  /// when `step` is empty; and of what is output `i` alone.
  mlir::Location stepLocation(llvm::StringRef step) const;
  mlir::Location outputLocation(size_t i) const;

  mlir::MLIRContext *context() const { return builder.getContext(); }
  size_t numInputs() const { return node.inputs.size(); }
  bool hasInput(size_t i) const { return node.hasInput(i); }
  bool isConstant(size_t i) { return constant(i).has_value(); }
  /// IMP-11 unless all these operands are given.
  Status need(llvm::ArrayRef<size_t> operands) const;

  /// Operand `i` as plain numbers; null when absent.
  mlir::Value operand(size_t i);
  /// `value` as plain numbers.
  mlir::Value plain(mlir::Value value);
  /// Operand `i` as it is: quantized when a QuantizeLinear made it.
  mlir::Value rawOperand(size_t i);
  /// Operand `i` read as codes of `grid` (per tensor or per axis): adds a
  /// storage cast, or retypes a constant, where needed.
  Result<mlir::Value> codes(size_t i, const eval::Quantization &grid);

  /// Operand `i` when it is a constant.
  std::optional<eval::Tensor> constant(size_t i);
  /// The same, or a failure by IMP-5 naming `what`; then its integers, or its
  /// numbers as floats.
  Result<eval::Tensor> neededConstant(size_t i, const char *what);
  Result<std::vector<int64_t>> constantInts(size_t i, const char *what);
  Result<std::vector<float>> constantFloats(size_t i, const char *what);

  /// Attributes with defaults. One of another kind reads as absent, and
  /// `importNode` then fails by IMP-6.
  int64_t intAttr(std::string_view name, int64_t fallback) const;
  float floatAttr(std::string_view name, float fallback) const;
  std::string stringAttr(std::string_view name, std::string fallback) const;
  std::optional<std::vector<int64_t>> intsAttr(std::string_view name) const;
  std::optional<std::vector<float>> floatsAttr(std::string_view name) const;
  std::optional<std::vector<std::string>>
  stringsAttr(std::string_view name) const;
  /// A nested graph, or IMP-6 when there is none.
  Result<const model::Graph *> graphAttr(std::string_view name) const;

  /// An element type given by its number in the model, or nothing when the
  /// attribute is absent; IMP-7 when no executor handles it.
  Result<std::optional<eval::Element>> elementAttr(std::string_view name) const;
  /// A tensor attribute, likewise.
  Result<std::optional<eval::Tensor>> tensorAttr(std::string_view name) const;

  /// The codes that operand `i`, an integer tensor, can hold.
  CodeRange codeRange(size_t i);
  /// Notes whether output `i` holds codes below 8 bits.
  void markCodes(size_t i, CodeRange codes);

  /// The grid given by a scale and an optional zero point operand. The zero
  /// point's type gives the codes, `absent` where there is none. Rule IMP-8.
  Result<eval::Quantization> grid(size_t scale, size_t zeroPoint,
                                  CodeRange absent, int64_t axis, int64_t rank);

  /// Creates an operation whose result types follow from its inference rule;
  /// `element` replaces the inferred element type when not null.
  template <typename OpTy, typename... Args>
  Result<mlir::Value> create(mlir::Type element, Args &&...args);

  /// `value` as a constant when all that it is made from is constant (shape
  /// arithmetic), else `value`. For steps on the way to an output; `bind`
  /// does it for the output.
  mlir::Value fold(mlir::Value value);

  /// Binds the node's output `i`.
  Status bind(size_t i, mlir::Value value);
  /// Binds output 0 when `value` succeeded, else forwards the failure.
  Status bind(Result<mlir::Value> value);
  /// Binds each output to the result of the same number of the operation that
  /// made `value`, or forwards the failure.
  Status bindAll(Result<mlir::Value> value);

  /// A Model or Unsupported failure of this node.
  tally::Diagnostic failure(FailureKind kind, std::string rule,
                            std::string message, std::string hint = "") const;
  tally::Diagnostic unsupported(std::string message) const {
    return failure(FailureKind::Unsupported, "IMP-6", std::move(message));
  }

  /// What all nodes know of each other.
  ImportedValues &scope() { return imported; }

  /// An attribute list for `create`.
  mlir::DenseI64ArrayAttr i64s(llvm::ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  }
  mlir::Value makeConstant(const eval::Tensor &tensor, mlir::Type element);

private:
  friend Status importNode(mlir::OpBuilder &, ImportedValues &,
                           const model::Node &);

  template <typename T> const T *attributeOf(std::string_view name) const;
  Status checkResults() const;
  Result<mlir::Value>
  finishCreate(mlir::OperationState &state, llvm::LogicalResult inferred,
               llvm::ArrayRef<mlir::ShapedTypeComponents> components,
               mlir::Type element, const CapturedRejection &rejection);
  void markNarrow(size_t i, mlir::Value value);

  ImportedValues &imported;
  bool hasMoved = false; ///< a movement was folded on the way to an output
  /// What was read as another kind than it has.
  mutable std::optional<tally::Diagnostic> misread;
};

/// One source operator: "Conv" of domain "" or "com.microsoft", from a version
/// of its operator set on.
struct ImportRow {
  const char *domain;
  const char *opType;
  int64_t sinceOpset;
  Status (*import)(NodeImport &node);
  size_t operands = 1; ///< the first so many must be given
};

/// The row with the highest sinceOpset not above the node's, or null.
const ImportRow *findImportRow(const model::Node &node);

/// Imports one node, which has a row, and checks what every row relies on:
/// operands and results (IMP-11), kinds of attributes (IMP-6).
Status importNode(mlir::OpBuilder &builder, ImportedValues &imported,
                  const model::Node &node);

/// One table per family of operators.
llvm::ArrayRef<ImportRow> arithmeticRows();
llvm::ArrayRef<ImportRow> branchRows();
llvm::ArrayRef<ImportRow> convolutionRows();
llvm::ArrayRef<ImportRow> elementwiseRows();
llvm::ArrayRef<ImportRow> indexingRows();
llvm::ArrayRef<ImportRow> joiningRows();
llvm::ArrayRef<ImportRow> loopRows();
llvm::ArrayRef<ImportRow> movementRows();
llvm::ArrayRef<ImportRow> normalizationRows();
llvm::ArrayRef<ImportRow> productRows();
llvm::ArrayRef<ImportRow> qlinearRows();
llvm::ArrayRef<ImportRow> quantizationRows();
llvm::ArrayRef<ImportRow> recurrentRows();
llvm::ArrayRef<ImportRow> reductionRows();
llvm::ArrayRef<ImportRow> reshapeRows();
llvm::ArrayRef<ImportRow> resizeRows();
llvm::ArrayRef<ImportRow> scanRows();
llvm::ArrayRef<ImportRow> shapeRows();
llvm::ArrayRef<ImportRow> slicingRows();
llvm::ArrayRef<ImportRow> windowRows();

//===----------------------------------------------------------------------===//

/// How many results the operator has.
template <typename OpTy> constexpr unsigned resultCount() {
  if constexpr (OpTy::template hasTrait<mlir::OpTrait::OneResult>())
    return 1;
  else if constexpr (OpTy::template hasTrait<
                         mlir::OpTrait::NResults<2>::Impl>())
    return 2;
  else {
    static_assert(OpTy::template hasTrait<mlir::OpTrait::NResults<3>::Impl>());
    return 3;
  }
}

template <typename OpTy, typename... Args>
Result<mlir::Value> NodeImport::create(mlir::Type element, Args &&...args) {
  mlir::OperationState state(loc, OpTy::getOperationName());
  // Built with any result types first: inference reads operands and properties.
  llvm::SmallVector<mlir::Type> placeholders(resultCount<OpTy>(),
                                             mlir::NoneType::get(context()));
  OpTy::build(builder, state, mlir::TypeRange(placeholders),
              std::forward<Args>(args)...);
  state.types.clear();
  CapturedRejection rejection(context());
  llvm::SmallVector<mlir::ShapedTypeComponents, 2> components;
  llvm::LogicalResult inferred = OpTy::inferReturnTypeComponents(
      context(), loc, mlir::ValueShapeRange(state.operands),
      state.attributes.getDictionary(context()), state.getRawProperties(),
      mlir::RegionRange(), components);
  return finishCreate(state, inferred, components, element, rejection);
}

} // namespace tally::nn

#endif // TALLY_GRAPH_IMPORT_NODEIMPORT_H
