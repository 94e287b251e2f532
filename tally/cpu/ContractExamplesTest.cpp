//===- ContractExamplesTest.cpp - tensors as contracts state them ---------===//
//
// Every example of every contract, on each element type that it holds for: the
// evaluator and, where there is CPU code, the CPU give the stated elements,
// down to the sign of zero, on one thread and on several.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/ArmForTests.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Contract.h"
#include "tally/ops/Ops.h"
#include "tally/ops/SpecialWordsForTests.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"
#include "tally/support/TestRequirement.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;
using nn::Contract;
using nn::TensorExample;

namespace {

/// Element types that `on` names, as the IR writes them; "" for an example
/// whose tensors have their own.
std::vector<std::string> typesOf(std::string_view on) {
  if (on == "float")
    return {"f32", "f16", "bf16", "f64"};
  if (on == "integer")
    return {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
  return {""};
}

/// "const f32 2: nan 1", taken apart.
struct TensorText {
  bool isConstant = false;
  std::string type; ///< "tensor<2xf32>"
  SmallVector<StringRef> words;
};

TensorText parsed(std::string_view text, const std::string &element) {
  TensorText tensor;
  auto [head, elements] = StringRef(text).split(": ");
  tensor.isConstant = head.consume_front("const ");
  auto [own, shape] = head.contains(' ') ? head.split(' ')
                                         : std::pair(StringRef(element), head);
  std::string type = own == "codes" ? "!quant.uniform<i8:f32, 1.0>" : own.str();
  tensor.type =
      "tensor<" + (shape == "scalar" ? "" : shape.str() + "x") + type + ">";
  llvm::SplitString(elements, tensor.words);
  return tensor;
}

std::vector<TensorText> parsed(const std::vector<std::string_view> &texts,
                               const std::string &element) {
  std::vector<TensorText> tensors;
  for (std::string_view text : texts)
    tensors.push_back(parsed(text, element));
  return tensors;
}

/// The tensor of `type` that the words stand for; nothing when the type lacks
/// one of them.
std::optional<eval::Tensor> valueOf(const TensorText &text,
                                    RankedTensorType type) {
  eval::Tensor tensor = nn::describe(type);
  EXPECT_EQ(tensor.count(), static_cast<int64_t>(text.words.size()));
  tensor.allocate();
  for (auto [i, word] : llvm::enumerate(text.words)) {
    auto number = numberOf(word, tensor.element);
    if (!number)
      return std::nullopt;
    store(tensor, static_cast<int64_t>(i), *number);
  }
  return tensor;
}

std::string listOf(const std::vector<TensorText> &tensors,
                   llvm::function_ref<std::string(size_t)> text) {
  std::vector<std::string> items;
  for (size_t i = 0; i < tensors.size(); ++i)
    items.push_back(text(i));
  return "(" + llvm::join(items, ", ") + ")";
}

/// One operation: operands are arguments, constants among them, too.
std::string sourceOf(const Contract &contract, const TensorExample &example,
                     const std::vector<TensorText> &operands,
                     const std::vector<TensorText> &results) {
  auto types = [](const std::vector<TensorText> &tensors) {
    return listOf(tensors, [&](size_t i) { return tensors[i].type; });
  };
  auto name = [](size_t i) { return "%a" + std::to_string(i); };
  auto result = [&](size_t i) {
    return results.size() == 1 ? "%r" : "%r#" + std::to_string(i);
  };
  std::string values = listOf(operands, name), given = listOf(results, result);
  std::string count =
      results.size() == 1 ? "" : ":" + std::to_string(results.size());
  auto inside = [](const std::string &list) {
    return list.substr(1, list.size() - 2);
  };
  return "func.func @main" +
         listOf(operands,
                [&](size_t i) { return name(i) + ": " + operands[i].type; }) +
         " -> " + types(results) + " {\n  %r" + count + " = nn." +
         std::string(contract.name) + " " + inside(values) + " " +
         std::string(example.attributes) + " : " + types(operands) + " -> " +
         types(results) + "\n  return " + given.substr(1, given.size() - 2) +
         " : " + inside(types(results)) + "\n}\n";
}

class ContractExamples : public testing::TestWithParam<size_t> {
protected:
  ContractExamples() {
    context.loadDialect<nn::NnDialect, func::FuncDialect>();
  }

  const Contract &contract() const { return nn::contracts()[GetParam()]; }
  void test(const TensorExample &example, const std::string &element);
  void testOnCpu(const std::vector<TensorText> &operands,
                 const std::vector<eval::Tensor> &inputs,
                 const std::vector<eval::Tensor> &wanted);
  void testOnThreads(int64_t threads, const std::vector<eval::Tensor> &inputs,
                     const std::vector<eval::Tensor> &wanted);
  func::FuncOp main() { return module->lookupSymbol<func::FuncOp>("main"); }
  void testOnArm(const std::vector<eval::Tensor> &inputs,
                 const std::vector<eval::Tensor> &wanted);
  void makeConstant(size_t argument, const eval::Tensor &value);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  const bool emulated = cpu::hasArmEmulator();
  int evaluated = 0, compiled = 0; ///< of one example, over its types
};

void expectAllEqual(const std::vector<eval::Tensor> &found,
                    const std::vector<eval::Tensor> &wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t r = 0; r < wanted.size(); ++r)
    for (int64_t i = 0, e = wanted[r].count(); i < e; ++i) {
      SCOPED_TRACE("result " + std::to_string(r));
      bool isFloat = eval::isFloat(wanted[r].element);
      expectEqual(found[r], i,
                  {isFloat ? eval::loadFloat(wanted[r], i) : 0,
                   isFloat ? 0 : eval::loadInt(wanted[r], i)});
    }
}

/// The argument's uses become those of an nn.constant.
void ContractExamples::makeConstant(size_t argument,
                                    const eval::Tensor &value) {
  BlockArgument old = main().getArgument(static_cast<unsigned>(argument));
  OpBuilder builder(&main().getBody().front().front());
  auto constant =
      nn::ConstantOp::create(builder, builder.getUnknownLoc(), old.getType(),
                             nn::elementsAttr(&context, value, "t"));
  old.replaceAllUsesWith(constant.getResult());
}

void ContractExamples::testOnCpu(const std::vector<TensorText> &operands,
                                 const std::vector<eval::Tensor> &inputs,
                                 const std::vector<eval::Tensor> &wanted) {
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.isConstant)
      makeConstant(i, inputs[i]);
  int before = compiled;
  testOnThreads(1, inputs, wanted);
  testOnThreads(3, inputs, wanted);
  if (compiled > before)
    testOnArm(inputs, wanted);
}

/// Of several, the last part before the first; every kernel is then split.
void ContractExamples::testOnThreads(int64_t threads,
                                     const std::vector<eval::Tensor> &inputs,
                                     const std::vector<eval::Tensor> &wanted) {
  SCOPED_TRACE("threads: " + std::to_string(threads));
  cpu::CpuOptions options;
  options.tiers = {cpu::tiersOfThisMachine().back()};
  options.threads = threads;
  options.leastSplit = 0;
  OwningOpRef<ModuleOp> copy = module->clone(); // it is modified
  auto object = cpu::compile(*copy, options);
  if (!object) {
    EXPECT_EQ(object.error().rule, "CPU-1") << object.error().str();
    return;
  }
  auto program =
      runtime::jitProgram(object->object, std::move(object->interface));
  ASSERT_TRUE(program) << program.error().str();
  auto run = runtime::Context::create(std::move(*program));
  ASSERT_TRUE(run) << run.error().str();
  auto lastFirst = [](void *, int32_t most, runtime::ParallelTask task,
                      void *data) {
    for (int32_t part = most; part-- > 0;)
      task(data, part, most);
  };
  if (threads > 1)
    ASSERT_TRUE(run->setParallelFor(lastFirst, nullptr));
  auto found = run->run(inputs);
  ASSERT_TRUE(found) << found.error().str();
  expectAllEqual(*found, wanted);
  ++compiled;
}

/// What has code for this machine has code for AArch64, with the same results.
void ContractExamples::testOnArm(const std::vector<eval::Tensor> &inputs,
                                 const std::vector<eval::Tensor> &wanted) {
  if (!emulated)
    return;
  for (cpu::Tier tier : {cpu::Tier::Neon, cpu::Tier::I8mm}) {
    SCOPED_TRACE(cpu::tierName(tier));
    OwningOpRef<ModuleOp> copy = module->clone(); // it is modified
    cpu::CpuOptions options;
    options.tiers = {tier};
    auto object = cpu::compile(*copy, options);
    ASSERT_TRUE(object) << object.error().str();
    auto found = cpu::runOnArm(*object, inputs);
    ASSERT_TRUE(found) << found.error().str();
    expectAllEqual(*found, wanted);
  }
}

void ContractExamples::test(const TensorExample &example,
                            const std::string &element) {
  auto operands = parsed(example.operands, element);
  auto results = parsed(example.results, element);
  {
    // Types that the operator does not take are its rules' business.
    ScopedDiagnosticHandler quiet(&context,
                                  [](mlir::Diagnostic &) { return success(); });
    module = parseSourceString<ModuleOp>(
        sourceOf(contract(), example, operands, results), &context);
  }
  if (!module)
    return;
  std::vector<eval::Tensor> inputs, wanted;
  auto add = [](std::vector<eval::Tensor> &list, const TensorText &text,
                Type type) {
    auto value = valueOf(text, cast<RankedTensorType>(type));
    if (value)
      list.push_back(std::move(*value));
    return value.has_value();
  };
  for (auto [text, type] : llvm::zip_equal(operands, main().getArgumentTypes()))
    if (!add(inputs, text, type))
      return;
  for (auto [text, type] : llvm::zip_equal(results, main().getResultTypes()))
    if (!add(wanted, text, type))
      return;
  auto found = eval::evaluate(main(), inputs, {});
  ASSERT_TRUE(found) << found.error().str();
  expectAllEqual(*found, wanted);
  ++evaluated;
  testOnCpu(operands, inputs, wanted);
}

TEST_P(ContractExamples, HoldOnEvaluatorAndCpu) {
  if (runsInCi())
    EXPECT_TRUE(emulated) << "no emulator of AArch64";
  for (const TensorExample &example : contract().examples) {
    SCOPED_TRACE("(" + llvm::join(example.operands, "; ") + ")");
    evaluated = compiled = 0;
    for (const std::string &element : typesOf(example.on)) {
      SCOPED_TRACE(element);
      test(example, element);
    }
    EXPECT_GT(evaluated, 0) << "no element type has these values";
    EXPECT_GT(compiled, 0) << "no element type has CPU code";
  }
}

std::vector<size_t> withExamples() {
  std::vector<size_t> indices;
  for (auto [i, contract] : llvm::enumerate(nn::contracts()))
    if (!contract.examples.empty())
      indices.push_back(i);
  return indices;
}

std::string contractName(const testing::TestParamInfo<size_t> &info) {
  return std::string(nn::contracts()[info.param].name);
}
INSTANTIATE_TEST_SUITE_P(All, ContractExamples,
                         testing::ValuesIn(withExamples()), contractName);

} // namespace
