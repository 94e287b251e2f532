//===- Reference.cpp - whose tensors ours are compared with ---------------===//

#include "tally/driver/diff/Reference.h"
#include "tally/driver/AllNodes.h"
#include "tally/driver/Executable.h"
#include "tally/driver/Phases.h"
#include "tally/driver/tensors/NpyTensor.h"
#include "tally/eval/RuntimeQuantization.h"
#include "tally/graph/Locations.h"
#include "tally/ops/Ops.h"
#include "tally/support/Npz.h"

using namespace mlir;
using namespace tally;
using eval::Tensor;

//===----------------------------------------------------------------------===//
// An archive
//===----------------------------------------------------------------------===//

static Result<Reference> archiveReference(const std::string &file) {
  auto entries = readNpz(file);
  if (!entries)
    return entries.takeError();
  Reference reference;
  reference.name = file;
  for (NpzEntry &entry : *entries)
    reference.tensors.emplace(entry.name, std::move(entry.array));
  return reference;
}

//===----------------------------------------------------------------------===//
// Another model
//===----------------------------------------------------------------------===//

/// The tensors of the model `file` by name, on inputs of the same names.
static Result<std::map<std::string, Tensor>>
tensorsOf(MLIRContext &context, const std::string &file,
          const ReferenceRequest &request) {
  ModelArguments model = request.model;
  model.path = file;
  PhaseRunner phases({});
  auto module = phases.import(context, model);
  if (!module)
    return module.takeError();
  func::FuncOp function = mainFunction(**module);
  std::map<std::string, Tensor> tensors;
  llvm::DenseMap<Value, std::string> names;
  for (auto &[name, value] : namedTensors(function))
    names[value] = name.str();
  Executable executable = evaluatorOf(
      function, eval::Profile::Ideal, [&](Value value, const Tensor &tensor) {
        if (auto name = names.find(value); name != names.end())
          tensors[name->second] = tensor;
      });
  func::FuncOp own = request.function;
  if (executable.inputs != evaluatorOf(own, eval::Profile::Ideal).inputs) {
    tally::Diagnostic failure;
    failure.kind = FailureKind::Model;
    failure.rule = "DIFF-4";
    failure.file = file;
    failure.message = "its inputs are not those of '" + request.model.path +
                      "' in name, type and shape";
    failure.hint = "compare with a model of the same inputs, or with a .npz "
                   "of its tensors";
    return failure;
  }
  auto outputs = executable.run(request.inputs);
  if (!outputs)
    return outputs.takeError();
  return tensors;
}

/// Names under which a float model may know what `quantize` reads: its input's,
/// or that of a Dequantize behind it (quantizers keep an output's name there).
static SmallVector<std::string> floatNames(nn::QuantizeOp quantize) {
  SmallVector<std::string> names = {nn::tensorName(quantize.getInput()).str()};
  for (Operation *user : quantize.getResult().getUsers())
    if (isa<nn::DequantizeOp>(user))
      names.push_back(nn::tensorName(user->getResult(0)).str());
  return names;
}

/// Reals as codes of the type of `quantize`'s result.
static std::optional<NpyArray> codesOf(nn::QuantizeOp quantize,
                                       const Tensor &reals) {
  Tensor codes = nn::describe(quantize.getType());
  if (reals.shape != codes.shape || reals.element != eval::Element::F32)
    return std::nullopt;
  codes.allocate();
  const eval::Quantization &grid = *codes.quant;
  eval::AxisIndex channel(codes.shape, grid.axis);
  for (int64_t i = 0, e = codes.count(); i < e; ++i) {
    int64_t c = channel(i);
    eval::storeInt(codes, i,
                   eval::quantizeFloat(reals.data<float>()[i], grid.scale(c),
                                       grid.zeroPoint(c), grid.qmin,
                                       grid.qmax));
  }
  return toNpy(codes);
}

static Result<Reference> modelReference(const ReferenceRequest &request) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto tensors = tensorsOf(context, request.source, request);
  if (!tensors)
    return tensors.takeError();
  Reference reference;
  reference.name = request.source + " in the evaluator";
  reference.isOtherModel = true;
  for (auto &[name, tensor] : *tensors)
    reference.tensors.emplace(name, toNpy(tensor));
  func::FuncOp function = request.function;
  for (auto quantize : function.getBody().front().getOps<nn::QuantizeOp>())
    for (const std::string &name : floatNames(quantize))
      if (auto reals = tensors->find(name); reals != tensors->end())
        if (auto codes = codesOf(quantize, reals->second))
          reference.tensors.insert_or_assign(
              nn::tensorName(quantize.getResult()).str(), std::move(*codes));
  return reference;
}

Result<Reference> tally::makeReference(const ReferenceRequest &request) {
  StringRef source = request.source;
  if (source == "onnxruntime")
    return onnxruntimeReference(request);
  if (source.ends_with(".npz"))
    return archiveReference(request.source);
  if (source.ends_with(".onnx"))
    return modelReference(request);
  return usageError("DIFF-1", "'" + request.source + "' is no reference",
                    "write --ref onnxruntime, --ref FLOAT.onnx or --ref "
                    "TENSORS.npz");
}
