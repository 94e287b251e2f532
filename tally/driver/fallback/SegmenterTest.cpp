//===- SegmenterTest.cpp - programs with segments on the host -------------===//
//
// Graphs of small operators, whose nodes are refused at will on top of what the
// machine refuses: whatever the cut, the segments give the evaluator's bits.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/fallback/Segmenter.h"
#include "tally/driver/GraphInterface.h"
#include "tally/driver/Phases.h"
#include "tally/driver/fallback/SegmentRun.h"
#include "tally/driver/tensors/Comparison.h"
#include "tally/driver/tensors/RandomTensor.h"
#include "tally/eval/Evaluator.h"
#include "tally/graph/Locations.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/ops/Ops.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tally;
using runtime::SegmentFile;

namespace {
/// Nodes of one function on tensors of 8 x 8 of one type.
class GraphText {
public:
  GraphText(int64_t inputs, std::string type) : type(std::move(type)) {
    for (int64_t i = 0; i < inputs; ++i)
      values.push_back("%x" + std::to_string(i));
  }

  /// A node called "nI", of an operator and its attributes; its value.
  size_t node(const std::string &op, std::vector<size_t> operands,
              const std::string &attributes = "") {
    std::string list, types;
    for (size_t operand : operands) {
      list += (list.empty() ? "" : ", ") + values[operand];
      types += (types.empty() ? "" : ", ") + tensor();
    }
    std::string name = "n" + std::to_string(nodes++);
    values.push_back("%" + name);
    body += "%" + name + " = nn." + op + " " + list + attributes + " : (" +
            types + ") -> " + tensor() + " loc(fused<{node = \"" + name +
            "\", op = \"" + op + "\", outputs = [\"" + name +
            "\"]}>[unknown])\n";
    return values.size() - 1;
  }
  size_t transpose(size_t operand) {
    return node("transpose", {operand}, " {permutation = array<i64: 1, 0>}");
  }

  /// The module's text, which returns `outputs`.
  std::string text(const std::vector<size_t> &outputs) const {
    std::string arguments, results, names, types;
    for (const std::string &value : values)
      if (value.starts_with("%x"))
        arguments += (arguments.empty() ? "" : ", ") + value + ": " + tensor() +
                     " {nn.name = \"" + value.substr(1) + "\"}";
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string comma = i ? ", " : "";
      results +=
          comma + tensor() + " {nn.name = \"y" + std::to_string(i) + "\"}";
      names += comma + values[outputs[i]];
      types += comma + tensor();
    }
    return "func.func @main(" + arguments + ") -> (" + results + ") {\n" +
           body + "return " + names + " : " + types + "\n}\n";
  }

  size_t count() const { return values.size(); }

private:
  std::string tensor() const { return "tensor<8x8x" + type + ">"; }

  std::string type, body;
  std::vector<std::string> values;
  size_t nodes = 0;
};

std::set<std::string> namesIn(mlir::ModuleOp module) {
  std::set<std::string> names;
  for (mlir::Operation &op :
       mainFunction(module).getBody().front().without_terminator())
    names.insert(nn::nodeName(&op));
  return names;
}

Diagnostic refusal(const std::string &node) {
  return {
      FailureKind::Unsupported, "refused for the test", "TEST-1", "", node, ""};
}

class SegmenterTest : public testing::Test {
protected:
  SegmenterTest() : asked{*machine::findMachine("edge"), {}, {}, {}, true} {
    context.loadDialect<nn::NnDialect, mlir::func::FuncDialect,
                        mlir::quant::QuantDialect>();
    judge = judgeOf(asked);
    judge.weighsBorders = false;
  }

  /// Also refuses nodes of these names.
  void refuse(std::set<std::string> nodes) {
    judge.lower = [nodes = std::move(nodes),
                   lower = judge.lower](mlir::ModuleOp module) -> Status {
      for (const std::string &name : namesIn(module))
        if (nodes.contains(name))
          return refusal(name);
      return lower(module);
    };
  }

  /// Also refuses programs for which `why` gives a refusal.
  void
  refusePrograms(std::function<std::optional<Diagnostic>(mlir::ModuleOp)> why) {
    judge.compile = [why, compile = judge.compile](
                        mlir::ModuleOp module) -> Result<isa::Program> {
      if (auto failure = why(module))
        return *failure;
      return compile(module);
    };
  }

  SegmentFile segments(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    auto file = makeSegments(*module, judge, "net.onnx", "net");
    EXPECT_TRUE(file) << file.error().str() << "\n" << text;
    return file ? *file : SegmentFile();
  }

  /// The segments, read back from their archive, against the evaluator.
  void expectEvaluatorsBits(const SegmentFile &made) {
    auto bytes = writeSegments(made);
    ASSERT_TRUE(bytes) << bytes.error().str();
    auto file = runtime::parseSegments(*bytes, "net.a");
    ASSERT_TRUE(file) << file.error().str();
    auto run =
        SegmentRun::load(std::move(*file), "net.a", [&](const isa::Program &) {
          return Result(asked.machine);
        });
    ASSERT_TRUE(run) << run.error().str();
    mlir::func::FuncOp function = mainFunction(*module);
    EXPECT_EQ(run->inputs(), inputInterface(function));
    EXPECT_EQ(run->outputs(), outputInterface(function));
    std::vector<eval::Tensor> inputs;
    for (const auto &input : run->inputs())
      inputs.push_back(randomTensor(input, 5, inputs.size()));
    simulator::RunOptions options;
    options.audit = true;
    auto found = run->run(inputs, options);
    ASSERT_TRUE(found) << found.error().str();
    auto expected = eval::evaluate(function, inputs);
    ASSERT_TRUE(expected) << expected.error().str();
    ASSERT_EQ(found->size(), expected->size());
    for (size_t i = 0; i < found->size(); ++i)
      EXPECT_FALSE(compareBits((*found)[i], (*expected)[i])) << "output " << i;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const NpuArguments asked;
  MachineJudge judge;
};

std::vector<std::string> targets(const SegmentFile &file) {
  std::vector<std::string> result;
  for (const runtime::Segment &segment : file.segments)
    result.push_back(segment.target);
  return result;
}

using Names = std::vector<std::string>;
} // namespace

TEST_F(SegmenterTest, ARefusedNodeIsTheHostsWithItsReason) {
  GraphText g(1, "i8");
  size_t a = g.transpose(0), b = g.transpose(a), c = g.transpose(b);
  refuse({"n1"});
  SegmentFile file = segments(g.text({c}));
  EXPECT_EQ(targets(file), (Names{"edge", "cpu", "edge"}));
  ASSERT_EQ(file.segments[1].reasons.size(), 1u);
  EXPECT_EQ(file.segments[1].reasons[0],
            (runtime::HostReason{"n1", "TEST-1", "refused for the test"}));
  EXPECT_EQ(file.segments[1].nodes, Names{"n1"});
  EXPECT_EQ(file.model, "net.onnx");
  expectEvaluatorsBits(file);
}

TEST_F(SegmenterTest, ANodeThatItsSegmentCannotHoldIsTheHosts) {
  GraphText g(1, "i8");
  size_t a = g.transpose(0), b = g.transpose(a), c = g.transpose(b);
  refusePrograms([](mlir::ModuleOp module) -> std::optional<Diagnostic> {
    bool isWhole = namesIn(module).contains("n0");
    return isWhole ? std::optional(refusal("n0")) : std::nullopt;
  });
  SegmentFile file = segments(g.text({c}));
  EXPECT_EQ(targets(file), (Names{"cpu", "edge"}));
  EXPECT_EQ(file.segments[0].reasons[0].node, "n0");
  expectEvaluatorsBits(file);
}

TEST_F(SegmenterTest, ASegmentWithoutANameToBlameIsCut) {
  GraphText g(1, "i8");
  size_t value = 0;
  for (int i = 0; i < 7; ++i)
    value = g.transpose(value);
  refusePrograms([](mlir::ModuleOp module) -> std::optional<Diagnostic> {
    return namesIn(module).size() > 2 ? std::optional(refusal(""))
                                      : std::nullopt;
  });
  SegmentFile file = segments(g.text({value}));
  // Seven nodes: four and three, then two, two, two and one.
  EXPECT_EQ(targets(file), (Names{"edge", "edge", "edge", "edge"}));
  expectEvaluatorsBits(file);
}

TEST_F(SegmenterTest, ANodeThatNoProgramHoldsIsTheHosts) {
  GraphText g(1, "i8");
  size_t a = g.transpose(0), b = g.transpose(a);
  refusePrograms([](mlir::ModuleOp) { return refusal(""); });
  SegmentFile file = segments(g.text({b}));
  EXPECT_EQ(targets(file), Names{"cpu"});
  EXPECT_EQ(file.segments[0].reasons.size(), 2u);
  expectEvaluatorsBits(file);
}

TEST_F(SegmenterTest, ABugIsNoRefusal) {
  GraphText g(1, "i8");
  size_t a = g.transpose(0);
  refusePrograms([](mlir::ModuleOp) {
    Diagnostic failure = refusal("n0");
    failure.kind = FailureKind::Internal;
    return failure;
  });
  module = mlir::parseSourceString<mlir::ModuleOp>(g.text({a}), &context);
  auto file = makeSegments(*module, judge, "net.onnx", "net");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, FailureKind::Internal);
  EXPECT_EQ(file.error().file, "net.onnx");
}

TEST_F(SegmenterTest, InputsOutputsAndConstantsMayPassThrough) {
  const char *text = R"(
func.func @main(%x: tensor<8x8xi8> {nn.name = "x"})
    -> (tensor<8x8xi8> {nn.name = "same"}, tensor<2xi64> {nn.name = "c"},
        tensor<8x8xi8> {nn.name = "y"}, tensor<8x8xi8> {nn.name = "z"}) {
  %c = nn.constant dense<[3, 4]> : tensor<2xi64> : tensor<2xi64>
  %y = nn.transpose %x {permutation = array<i64: 1, 0>}
      : (tensor<8x8xi8>) -> tensor<8x8xi8>
  return %x, %c, %y, %y : tensor<8x8xi8>, tensor<2xi64>, tensor<8x8xi8>,
                          tensor<8x8xi8>
}
)";
  expectEvaluatorsBits(segments(text));
}

//===----------------------------------------------------------------------===//
// Borders of every type
//===----------------------------------------------------------------------===//

TEST_F(SegmenterTest, EveryTypeOfTheMachineCrossesBorders) {
  refuse({"n1"});
  for (const char *type :
       {"i8", "ui8", "i16", "ui16", "i32", "i64", "f16", "f32", "i1",
        "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<u8:f32, 0.5:3>",
        "!quant.uniform<i16:f32, 0.5>", "!quant.uniform<u4:f32, 0.5:3>"}) {
    SCOPED_TRACE(type);
    GraphText g(1, type);
    size_t a = g.transpose(0), b = g.transpose(a), c = g.transpose(b);
    SegmentFile file = segments(g.text({c, a}));
    EXPECT_EQ(targets(file), (Names{"edge", "cpu", "edge"}));
    expectEvaluatorsBits(file);
  }
}

TEST_F(SegmenterTest, OtherTypesStayOnTheHost) {
  for (const char *type : {"f64", "bf16", "ui32", "ui64"}) {
    SCOPED_TRACE(type);
    GraphText g(1, type);
    SegmentFile file = segments(g.text({g.transpose(0)}));
    EXPECT_EQ(targets(file), Names{"cpu"});
    EXPECT_EQ(file.segments[0].reasons[0].rule, "NPU-10");
    expectEvaluatorsBits(file);
  }
}

//===----------------------------------------------------------------------===//
// Random refusals
//===----------------------------------------------------------------------===//

TEST_F(SegmenterTest, RandomRefusalsGiveTheEvaluatorsBits) {
  std::mt19937 random(11);
  auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const MachineJudge real = judge;
  size_t most = 0;
  for (int round = 0; round < 40; ++round) {
    GraphText g(1 + below(3), "!quant.uniform<i8:f32, 0.5:-3>");
    std::set<std::string> refused;
    size_t inputs = g.count(), nodes = 3 + below(9);
    for (size_t n = 0; n < nodes; ++n) {
      size_t a = below(g.count()), b = below(g.count());
      switch (below(3)) {
      case 0:
        g.transpose(a);
        break;
      case 1:
        g.node("relu", {a});
        break;
      default:
        g.node("add", {a, b});
      }
      if (below(3) == 0)
        refused.insert("n" + std::to_string(n));
    }
    std::vector<size_t> outputs{g.count() - 1};
    while (below(2))
      outputs.push_back(inputs + below(nodes));
    judge = real;
    refuse(refused);
    size_t limit = 1 + below(4);
    refusePrograms([&](mlir::ModuleOp program) -> std::optional<Diagnostic> {
      return namesIn(program).size() > limit ? std::optional(refusal(""))
                                             : std::nullopt;
    });
    SegmentFile file = segments(g.text(outputs));
    for (const runtime::Segment &segment : file.segments)
      for (const std::string &name : segment.nodes)
        EXPECT_TRUE(segment.isHost() || !refused.contains(name)) << name;
    most = std::max(most, file.segments.size());
    expectEvaluatorsBits(file);
  }
  EXPECT_GE(most, 5u);
}
