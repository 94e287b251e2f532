//===- ElementwiseTest.cpp - elementwise kernels against the evaluator ----===//
//
// Every elementwise operator on every element type it takes, all types in one
// function, compiled for every tier of this machine and for an emulated
// AArch64, over special values (both zeros, infinities, NaN, extremes, powers
// of two around them) and pseudo-random bits; two operands meet in all pairs.
// Results equal the evaluator's bit for bit, but for the bits of NaNs.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/ArmForTests.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tally;
using eval::Element;

namespace {

struct Case {
  std::string op;         ///< without "nn."
  std::string attributes; ///< as in the IR, or ""
  std::vector<Element> elements;
  /// Of the result, where it is not the operand's.
  std::optional<Element> result = {};
  /// Of the second operand, where it is not the first one's.
  std::optional<Element> second = {};
};

const std::vector<Element> kFloats = {Element::F32, Element::F16,
                                      Element::BF16};
const std::vector<Element> kReals = {Element::F32, Element::F16, Element::BF16,
                                     Element::F64};
const std::vector<Element> kUnsigned = {Element::U8, Element::U16, Element::U32,
                                        Element::U64};
const std::vector<Element> kIntegers = {
    Element::I8, Element::I16, Element::I32, Element::I64,
    Element::U8, Element::U16, Element::U32, Element::U64};
const std::vector<Element> kBool = {Element::Bool};

std::vector<Element> both(std::vector<Element> a, std::vector<Element> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const std::vector<Element> kNumbers = both(kReals, kIntegers);

std::vector<Case> unaryCases() {
  std::vector<Case> cases = {
      {"abs", "", kNumbers},
      {"bitwise_not", "", kIntegers},
      {"celu", "{alpha = 0.7 : f32}", kFloats},
      {"celu", "{alpha = -1.5 : f32}", kFloats},
      {"clip", "{low = -0.0 : f32, high = 6.0 : f32}", kFloats},
      {"elu", "{alpha = -0.3 : f32}", kFloats},
      {"gelu", "{tanh = false}", kFloats},
      {"gelu", "{tanh = true}", kFloats},
      {"hard_sigmoid", "{alpha = 0.2 : f32, beta = 0.5 : f32}", kReals},
      {"is_inf", "{negative = true, positive = false}", kReals, Element::Bool},
      {"is_inf", "{negative = false, positive = true}", kReals, Element::Bool},
      {"is_nan", "", kReals, Element::Bool},
      {"leaky_relu", "{alpha = 0.01 : f32}", kReals},
      {"neg", "", kNumbers},
      {"not", "", kBool},
      {"relu", "", kNumbers},
      {"selu", "{alpha = 1.673 : f32, gamma = 1.05 : f32}", kFloats},
      {"sign", "", kNumbers},
      {"swish", "{alpha = -1.702 : f32}", kFloats},
      {"thresholded_relu", "{alpha = 0.6 : f32}", kReals},
  };
  for (const char *op : {"ceil", "floor", "hard_swish", "reciprocal", "round",
                         "softsign", "sqrt"})
    cases.push_back({op, "", kReals});
  for (const char *op : {"cos", "erf", "exp", "log", "mish", "sigmoid", "sin",
                         "softplus", "tanh"})
    cases.push_back({op, "", kFloats});
  for (Element to : both(kNumbers, kBool))
    cases.push_back({"cast", "", both(kNumbers, kBool), to});
  return cases;
}

std::vector<Case> binaryCases() {
  std::vector<Case> cases = {
      {"bit_shift", "{left = true}", kUnsigned},
      {"bit_shift", "{left = false}", kUnsigned},
      {"mod", "{fmod = true}", kNumbers},
      {"mod", "{fmod = false}", kIntegers},
      {"equal", "", both(kNumbers, kBool), Element::Bool},
  };
  for (const char *op : {"add", "sub", "mul", "div", "max", "min", "prelu"})
    cases.push_back({op, "", kNumbers});
  for (const char *op : {"bitwise_and", "bitwise_or", "bitwise_xor"})
    cases.push_back({op, "", kIntegers});
  for (const char *op : {"and", "or", "xor"})
    cases.push_back({op, "", kBool});
  for (const char *op :
       {"greater", "greater_or_equal", "less", "less_or_equal"})
    cases.push_back({op, "", kNumbers, Element::Bool});
  for (Element exponent : {Element::F32, Element::F64, Element::F16,
                           Element::I8, Element::I64, Element::U64})
    cases.push_back({"pow", "", both(kFloats, kIntegers), {}, exponent});
  return cases;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const double kSpecial[] = {0.0,      -0.0,      1.0,      -1.0,
                           0.5,      -0.5,      1.5,      2.5,
                           -2.5,     3.0,       7.0,      -3.75,
                           0.1,      -0.1,      1e-3,     6.0,
                           20.0,     -20.0,     88.7,     -88.7,
                           -103.9,   1e10,      -1e10,    127.5,
                           128.0,    -128.5,    255.5,    256.0,
                           -32769.,  65519.0,   65520.0,  0x1p23,
                           0x1p24,   0x1p31,    -0x1p31,  0x1p32,
                           0x1p52,   0x1p53,    0x1p62,   0x1p63,
                           -0x1p63,  0x1p64,    0x1p65,   0x1p100,
                           0x1p-14,  0x1p-24,   0x1p-126, 0x1p-149,
                           3e38,     1e308,     5e-324,   1.00048828125090949,
                           HUGE_VAL, -HUGE_VAL, NAN};

const int64_t kIntegerSpecial[] = {0,
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   3,
                                   7,
                                   -7,
                                   8,
                                   31,
                                   32,
                                   63,
                                   64,
                                   127,
                                   -128,
                                   255,
                                   -32768,
                                   65535,
                                   (int64_t(1) << 24) + 1,
                                   INT32_MAX,
                                   INT32_MIN,
                                   UINT32_MAX,
                                   (int64_t(1) << 60) + (int64_t(1) << 52) + 1,
                                   -(int64_t(1) << 60) - (int64_t(1) << 52) - 1,
                                   (int64_t(1) << 53) + 1,
                                   (int64_t(1) << 62) + 5,
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_MIN + 1};

/// The special values of an element and as many pseudo-random ones.
eval::Tensor values(Element element, uint64_t seed) {
  std::mt19937_64 random(seed);
  bool isFloat = eval::isFloat(element);
  auto special = static_cast<int64_t>(isFloat ? std::size(kSpecial)
                                              : std::size(kIntegerSpecial));
  eval::Tensor tensor;
  tensor.element = element;
  tensor.shape = {2 * special};
  tensor.allocate();
  for (auto &byte : std::span(tensor.storage.get(), tensor.byteCount()))
    byte = static_cast<std::byte>(random());
  for (int64_t i = 0; i < special; ++i)
    if (isFloat)
      eval::storeFloat(tensor, i, kSpecial[i]);
    else
      eval::storeInt(tensor, i, kIntegerSpecial[i]);
  if (element == Element::Bool)
    for (int64_t i = 0; i < tensor.count(); ++i)
      eval::storeInt(tensor, i, i & 1);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// One node: its operands, and the type of its result.
struct Node {
  std::vector<eval::Tensor> inputs;
  eval::Tensor output;
};

std::vector<eval::Tensor> inputsOf(const std::vector<Node> &nodes) {
  std::vector<eval::Tensor> inputs;
  for (const Node &node : nodes)
    inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
  return inputs;
}

class Elementwise : public testing::TestWithParam<Case> {
protected:
  Elementwise() {
    context.loadDialect<nn::NnDialect, mlir::func::FuncDialect>();
  }

  std::string typeText(const eval::Tensor &tensor) {
    std::string text;
    llvm::raw_string_ostream os(text);
    mlir::RankedTensorType::get(tensor.shape,
                                nn::typeOf(&context, tensor.element))
        .print(os);
    return text;
  }

  /// The case's operator on the inputs from %x`first` on, as %r`number`.
  std::string nodeText(const Node &node, size_t number, size_t first) {
    std::string operands, types;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      std::string comma = i ? ", " : "";
      operands += comma + "%x" + std::to_string(first + i);
      types += comma + typeText(node.inputs[i]);
    }
    return "%r" + std::to_string(number) + " = nn." + GetParam().op + " " +
           operands + " " + GetParam().attributes + " : (" + types + ") -> " +
           typeText(node.output) + "\n";
  }

  /// All nodes side by side in one function, so that it is compiled once.
  mlir::OwningOpRef<mlir::ModuleOp> module(const std::vector<Node> &nodes) {
    std::string arguments, body, values, types;
    size_t inputs = 0;
    for (size_t n = 0; n < nodes.size(); ++n) {
      body += nodeText(nodes[n], n, inputs);
      for (const eval::Tensor &input : nodes[n].inputs) {
        arguments += (inputs ? ", %x" : "%x") + std::to_string(inputs) + ": " +
                     typeText(input);
        ++inputs;
      }
      values += (n ? ", %r" : "%r") + std::to_string(n);
      types += (n ? ", " : "") + typeText(nodes[n].output);
    }
    return mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body +
            "return " + values + " : " + types + " }",
        &context);
  }

  void compare(const std::vector<Node> &nodes) {
    std::vector<eval::Tensor> inputs = inputsOf(nodes);
    auto judged = module(nodes);
    ASSERT_TRUE(judged);
    auto function = *judged->getOps<mlir::func::FuncOp>().begin();
    auto expected = eval::evaluate(function, inputs);
    ASSERT_TRUE(expected) << expected.error().str();
    std::vector<cpu::Tier> tiers = cpu::tiersOfThisMachine();
    if (cpu::hasArmEmulator())
      tiers.push_back(cpu::Tier::Neon);
    for (cpu::Tier tier : tiers) {
      SCOPED_TRACE(cpu::tierName(tier));
      auto found = run(*module(nodes), inputs, tier);
      ASSERT_TRUE(found) << found.error().str();
      for (size_t n = 0; n < nodes.size(); ++n)
        expectEqual(nodes[n].inputs, (*found)[n], (*expected)[n]);
    }
  }

  static Result<std::vector<eval::Tensor>>
  run(mlir::ModuleOp module, const std::vector<eval::Tensor> &inputs,
      cpu::Tier tier) {
    cpu::CpuOptions options;
    options.tiers = {tier};
    auto compiled = cpu::compile(module, options);
    if (!compiled)
      return compiled.takeError();
    if (tier == cpu::Tier::Neon)
      return cpu::runOnArm(*compiled, inputs);
    auto program =
        runtime::jitProgram(compiled->object, std::move(compiled->interface));
    if (!program)
      return program.takeError();
    auto session = runtime::Context::create(std::move(*program));
    if (!session)
      return session.takeError();
    return session->run(inputs);
  }

  static std::string text(const eval::Tensor &tensor, int64_t i) {
    if (!eval::isFloat(tensor.element))
      return std::to_string(eval::loadInt(tensor, i));
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%.17g (%a)", eval::loadFloat(tensor, i),
             eval::loadFloat(tensor, i));
    return buffer;
  }

  static void expectEqual(const std::vector<eval::Tensor> &inputs,
                          const eval::Tensor &found,
                          const eval::Tensor &expected) {
    int64_t size = eval::byteSize(expected.element);
    for (int64_t i = 0, e = expected.count(); i < e; ++i) {
      bool same = !std::memcmp(found.storage.get() + i * size,
                               expected.storage.get() + i * size, size);
      bool areNan = eval::isFloat(expected.element) &&
                    std::isnan(eval::loadFloat(found, i)) &&
                    std::isnan(eval::loadFloat(expected, i));
      if (same || areNan)
        continue;
      // One operand, or a column against a row.
      int64_t columns = inputs.back().shape.back();
      std::string operands =
          text(inputs[0], inputs.size() == 1 ? i : i / columns);
      if (inputs.size() == 2)
        operands += ", " + text(inputs[1], i % columns);
      FAIL() << eval::name(inputs[0].element) << " to "
             << eval::name(expected.element) << " of " << operands << " is "
             << text(found, i) << ", expected " << text(expected, i);
    }
  }

  mlir::MLIRContext context;
};

class UnaryKernels : public Elementwise {};
class BinaryKernels : public Elementwise {};

Node unaryNode(const Case &about, Element element) {
  Node node{{values(element, 1)}, {}};
  node.output.shape = node.inputs[0].shape;
  node.output.element = about.result.value_or(element);
  return node;
}

Node binaryNode(const Case &about, Element element) {
  eval::Tensor a = values(element, 1), output;
  eval::Tensor b = values(about.second.value_or(element), 2);
  output.shape = {a.shape[0], b.shape[0]};
  output.element = about.result.value_or(element);
  // A slope broadcasts to the input and not the other way round.
  if (about.op == "prelu")
    b.shape = a.shape = output.shape = {a.shape[0]};
  else
    a.shape.push_back(1);
  return {{std::move(a), std::move(b)}, std::move(output)};
}

TEST_P(UnaryKernels, EqualTheEvaluator) {
  std::vector<Node> nodes;
  for (Element element : GetParam().elements)
    nodes.push_back(unaryNode(GetParam(), element));
  compare(nodes);
}

TEST_P(BinaryKernels, EqualTheEvaluator) {
  std::vector<Node> nodes;
  for (Element element : GetParam().elements)
    nodes.push_back(binaryNode(GetParam(), element));
  compare(nodes);
}

std::string caseName(const testing::TestParamInfo<Case> &info) {
  return info.param.op + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(All, UnaryKernels, testing::ValuesIn(unaryCases()),
                         caseName);
INSTANTIATE_TEST_SUITE_P(All, BinaryKernels, testing::ValuesIn(binaryCases()),
                         caseName);

} // namespace
