//===- EarlyReuseTest.cpp - bytes given away too early --------------------===//
//
// A fault planted behind the planners: once a program has its addresses and its
// waits, a storage is put where another one lies that has been used by all
// commands issued before, but that some of these may not have completed with.
// That is what a plan does that frees a storage at the last use of a view
// instead of at the completion of its last reader.
//
// For every such pair of storages the checker rejects the program, or order
// that is there for other reasons makes it right: then every timing gives the
// right results.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/SimulatedProgram.h"
#include "tally/emit/lower/Lower.h"
#include "tally/eval/Evaluator.h"
#include "tally/fuzz/Generator.h"
#include "tally/fuzz/Runnable.h"
#include "tally/graph/Types.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/run/checker/Checker.h"
#include "tally/schedule/Addresses.h"
#include "tally/schedule/Plans.h"
#include "tally/schedule/Schedule.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

/// Three views of one result, read by the vector engine and by two copies out.
static constexpr char kViews[] = R"(
!codes = !quant.uniform<i8:f32, 0.05>
func.func @main(%x: tensor<8x64x!codes>, %z: tensor<8x64x!codes>)
    -> (tensor<8x64x!codes>, tensor<64x8x!codes>, tensor<512x!codes>,
        tensor<8x64x!codes>) {
  %y = nn.relu %x : (tensor<8x64x!codes>) -> tensor<8x64x!codes>
  %back = nn.slice %y {starts = array<i64: 0, 63>, sizes = array<i64: 8, 64>,
      steps = array<i64: 1, -1>}
      : (tensor<8x64x!codes>) -> tensor<8x64x!codes>
  %a = nn.neg %back : (tensor<8x64x!codes>) -> tensor<8x64x!codes>
  %turned = nn.transpose %y {permutation = array<i64: 1, 0>}
      : (tensor<8x64x!codes>) -> tensor<64x8x!codes>
  %line = nn.reshape %y {shape = array<i64: 512>}
      : (tensor<8x64x!codes>) -> tensor<512x!codes>
  %b = nn.neg %z : (tensor<8x64x!codes>) -> tensor<8x64x!codes>
  %c = nn.relu %b : (tensor<8x64x!codes>) -> tensor<8x64x!codes>
  return %a, %turned, %line, %c : tensor<8x64x!codes>, tensor<64x8x!codes>,
      tensor<512x!codes>, tensor<8x64x!codes>
})";

namespace {
class EarlyReuse : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override;
  Result<isa::Program> lower() {
    return emit::lowerProgram(program, graph.main(), machine);
  }
  bool isAccepted(const isa::Program &lowered) const {
    return checker::check(*checker::subjectOf(lowered, machine))->isAccepted;
  }
  void expectRightResults(const isa::Program &lowered) const;
  std::vector<std::pair<npu::StorageOp, npu::StorageOp>> pairs();

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Graph graph;
  machine::Machine machine;
  npu::ProgramOp program;
  std::vector<eval::Tensor> expected;
};
} // namespace

static eval::Tensor ramp(RankedTensorType type, int64_t factor) {
  eval::Tensor tensor = nn::describe(type);
  tensor.allocate();
  for (int64_t i = 0; i < tensor.count(); ++i)
    eval::storeInt(tensor, i, i * factor % 251 - 125);
  return tensor;
}

void EarlyReuse::SetUp() {
  loadDialects(context);
  graph.module = parseSourceString<ModuleOp>(kViews, &context);
  ASSERT_TRUE(graph.module);
  for (Type type : graph.main().getArgumentTypes())
    graph.inputs.push_back(ramp(cast<RankedTensorType>(type),
                                37 + 2 * int64_t(graph.inputs.size())));
  nameAll(graph);
  machine = *machine::findMachine(GetParam());
  expected = *eval::evaluate(graph.main(), graph.inputs, {});
  auto choices = schedule::Choices::standard(machine);
  program = *schedule::schedule(*graph.module, machine, choices);
  schedule::orderCommands(program, machine, choices);
  ASSERT_TRUE(schedule::planMemory(program, machine, {}));
  ASSERT_TRUE(schedule::planSync(program, machine));
}

void EarlyReuse::expectRightResults(const isa::Program &lowered) const {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    simulator::RunOptions options;
    if (seed)
      options.perturbation = seed;
    auto found =
        simulateOnTensors(lowered, machine, graph.inputs, expected, options);
    ASSERT_TRUE(found) << found.error().str();
    for (auto [result, wanted] : llvm::zip(*found, expected))
      EXPECT_EQ(std::memcmp(result.storage.get(), wanted.storage.get(),
                            size_t(wanted.byteCount())),
                0);
  }
}

/// Storages of SRAM and others, no smaller, all of whose commands are issued
/// before the first command of theirs.
std::vector<std::pair<npu::StorageOp, npu::StorageOp>> EarlyReuse::pairs() {
  struct Life {
    npu::StorageOp storage;
    int64_t first = 0, last = 0;
  };
  SmallVector<Life> lives;
  for (auto [place, command] :
       llvm::enumerate(program.getBody().front().getOps<npu::CommandOp>()))
    for (Value value : command.getStorages()) {
      auto storage = value.getDefiningOp<npu::StorageOp>();
      auto *known = llvm::find_if(
          lives, [&](const Life &life) { return life.storage == storage; });
      if (known == lives.end())
        lives.push_back({storage, int64_t(place), int64_t(place)});
      else
        known->last = int64_t(place);
    }
  std::vector<std::pair<npu::StorageOp, npu::StorageOp>> found;
  for (Life &early : lives)
    for (Life &late : lives)
      if (early.storage.getSpace() == isa::kSram &&
          late.storage.getSpace() == isa::kSram && early.last < late.first &&
          late.storage.getBytes() <= early.storage.getBytes())
        found.emplace_back(early.storage, late.storage);
  return found;
}

TEST_P(EarlyReuse, IsRejectedOrHarmless) {
  auto sound = lower();
  ASSERT_TRUE(sound) << sound.error().str();
  EXPECT_TRUE(isAccepted(*sound));
  expectRightResults(*sound);
  int rejected = 0;
  for (auto [early, late] : pairs()) {
    auto offset = late.getOffsetAttr();
    late.setOffsetAttr(early.getOffsetAttr());
    // Two operands of one command may have come to share bytes, which is not
    // even a command (CMD-OVERLAP).
    if (auto mutant = lower(); mutant && isAccepted(*mutant))
      expectRightResults(*mutant);
    else
      rejected += bool(mutant);
    late.setOffsetAttr(offset);
  }
  EXPECT_GE(rejected, 1);
}

INSTANTIATE_TEST_SUITE_P(Machines, EarlyReuse,
                         ::testing::Values("edge", "tiny", "wide"));
