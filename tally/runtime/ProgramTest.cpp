//===- ProgramTest.cpp - running compiled code ----------------------------===//

#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
eval::Tensor codes(std::vector<int8_t> values) {
  eval::Tensor tensor;
  tensor.shape = {2, 3};
  tensor.element = eval::Element::I8;
  tensor.allocate();
  std::copy(values.begin(), values.end(), tensor.data<int8_t>());
  return tensor;
}

Result<Program> jitDoubler() {
  auto artifact = readArtifact(DOUBLER_OBJECT);
  if (!artifact)
    return artifact.takeError();
  std::string_view bytes(reinterpret_cast<const char *>(artifact->elf().data()),
                         artifact->elf().size());
  return jitProgram(bytes, artifact->interface);
}
} // namespace

TEST(Program, AnObjectRunsInThisProcess) {
  auto program = jitDoubler();
  ASSERT_TRUE(program) << program.error().str();
  auto context = Context::create(*program);
  ASSERT_TRUE(context);
  auto outputs = context->run({codes({1, -2, 3, 127, -128, 0})});
  ASSERT_TRUE(outputs) << outputs.error().str();
  EXPECT_EQ(eval::toInts((*outputs)[0]),
            (std::vector<int64_t>{2, -4, 6, 254, -256, 0}));
}

/// Writes where its arena is.
static int32_t tellArena(const void *const *, void *const *outputs,
                         void *arena) {
  std::memcpy(outputs[0], &arena, sizeof arena);
  return 0;
}

TEST(Program, ContextsDoNotShareAStaticArena) {
  Interface interface;
  interface.outputs.push_back({"arena", eval::Element::I64, {1}, std::nullopt});
  interface.arenaBytes = 64;
  interface.staticArena = true;
  Program program(interface, tellArena, nullptr);
  auto one = Context::create(program), other = Context::create(program);
  ASSERT_TRUE(one && other);
  auto arenaOf = [](Context &context) {
    auto outputs = context.run(std::vector<eval::Tensor>());
    return outputs ? eval::toInts((*outputs)[0])[0] : 0;
  };
  EXPECT_NE(arenaOf(*one), 0);
  EXPECT_NE(arenaOf(*other), 0);
  EXPECT_NE(arenaOf(*one), arenaOf(*other));
}

TEST(Program, InputsMustFitTheInterface) {
  auto program = jitDoubler();
  ASSERT_TRUE(program);
  auto context = Context::create(*program);
  auto rule = [&](const std::vector<eval::Tensor> &inputs) {
    auto outputs = context->run(inputs);
    return outputs ? "ran" : outputs.error().rule;
  };
  eval::Tensor wrongShape = codes({0, 0, 0, 0, 0, 0});
  wrongShape.shape = {3, 2};
  eval::Tensor wrongType = codes({0, 0, 0, 0, 0, 0});
  wrongType.element = eval::Element::U8;
  EXPECT_EQ(rule({}), "RUN-7");
  EXPECT_EQ(rule({wrongShape}), "RUN-7");
  EXPECT_EQ(rule({wrongType}), "RUN-7");
}

TEST(Program, ARefusalByTheCodeIsReported) {
  auto program = jitDoubler();
  ASSERT_TRUE(program);
  Status status = program->run(nullptr, nullptr, nullptr);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().rule, "RUN-8");
}

TEST(Program, AnObjectOfAnotherNameHasNoEntry) {
  auto artifact = readArtifact(DOUBLER_OBJECT);
  ASSERT_TRUE(artifact);
  artifact->interface.symbol = "tripler";
  auto program =
      jitProgram({reinterpret_cast<const char *>(artifact->file.data()),
                  artifact->file.size()},
                 artifact->interface);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().rule, "RUN-5");
  EXPECT_NE(program.error().message.find("tripler_run"), std::string::npos);
}

TEST(Program, AnArenaThatCannotBeIsReported) {
  auto program = jitDoubler();
  ASSERT_TRUE(program);
  Interface interface = program->interface();
  interface.arenaBytes = INT64_MAX;
  auto context = Context::create(Program(interface, nullptr, nullptr));
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().rule, "RUN-9");
  EXPECT_EQ(context.error().kind, FailureKind::System);
}
