//===- CApiTest.cpp - the C interface -------------------------------------===//

#include "tally-c/tally.h"
#include "tally/eval/Tensor.h"

#include <gtest/gtest.h>
#include <string>

using tally::eval::Element;

namespace {
struct Loaded {
  TallyProgram *program = nullptr;
  TallyContext *context = nullptr;
  Loaded() {
    EXPECT_EQ(tally_program_load(DOUBLER_OBJECT, &program, nullptr), TALLY_OK);
    EXPECT_EQ(tally_context_create(program, &context, nullptr), TALLY_OK);
  }
  ~Loaded() {
    tally_program_free(program);
    tally_context_free(context);
  }
};

/// The text of a failure, which is freed.
std::string take(char *error) {
  std::string text = error ? error : "";
  tally_error_free(error);
  return text;
}
} // namespace

TEST(CApi, RunsAProgram) {
  Loaded loaded;
  int8_t x[6] = {1, 2, 3, -4, 5, 6};
  int32_t y[6] = {};
  const void *inputs[] = {x};
  void *outputs[] = {y};
  EXPECT_EQ(tally_run(loaded.context, inputs, outputs, nullptr), TALLY_OK);
  EXPECT_EQ(y[3], -8);
  EXPECT_EQ(y[5], 12);
}

TEST(CApi, AnObjectHasNothingToVerify) {
  Loaded loaded;
  char *error = nullptr;
  EXPECT_EQ(tally_program_verify(loaded.program, &error), TALLY_OK);
  EXPECT_EQ(error, nullptr);
}

TEST(CApi, AContextOutlivesItsProgram) {
  Loaded loaded;
  tally_program_free(loaded.program);
  loaded.program = nullptr;
  int8_t x[6] = {7, 0, 0, 0, 0, 0};
  int32_t y[6] = {};
  const void *inputs[] = {x};
  void *outputs[] = {y};
  EXPECT_EQ(tally_run(loaded.context, inputs, outputs, nullptr), TALLY_OK);
  EXPECT_EQ(y[0], 14);
}

TEST(CApi, TellsWhatAProgramTakesAndGives) {
  Loaded loaded;
  ASSERT_EQ(tally_input_count(loaded.program), 1u);
  ASSERT_EQ(tally_output_count(loaded.program), 1u);
  TallyTensorInfo info;
  ASSERT_EQ(tally_input_info(loaded.program, 0, &info), TALLY_OK);
  EXPECT_STREQ(info.name, "in/x");
  EXPECT_EQ(info.type, TALLY_INT8);
  ASSERT_EQ(info.rank, 2u);
  EXPECT_EQ(info.shape[1], 3);
  EXPECT_EQ(info.bytes, 6u);
  ASSERT_EQ(info.grid_count, 1u);
  EXPECT_EQ(info.scales[0], 0.5f);
  EXPECT_EQ(info.zero_points[0], 3);
  ASSERT_EQ(tally_output_info(loaded.program, 0, &info), TALLY_OK);
  EXPECT_EQ(info.type, TALLY_INT32);
  EXPECT_EQ(info.grid_count, 0u);
  EXPECT_EQ(tally_output_info(loaded.program, 1, &info), TALLY_USAGE);
  EXPECT_EQ(tally_arena_bytes(loaded.program), 24u);
  EXPECT_EQ(tally_constant_bytes(loaded.program), 4u);
  EXPECT_NE(std::string(tally_interface_json(loaded.program)).find("doubler"),
            std::string::npos);
}

TEST(CApi, TypesHaveTheEvaluatorsOrder) {
  EXPECT_EQ(static_cast<int>(Element::Bool), TALLY_BOOL);
  EXPECT_EQ(static_cast<int>(Element::I8), TALLY_INT8);
  EXPECT_EQ(static_cast<int>(Element::U8), TALLY_UINT8);
  EXPECT_EQ(static_cast<int>(Element::I16), TALLY_INT16);
  EXPECT_EQ(static_cast<int>(Element::U16), TALLY_UINT16);
  EXPECT_EQ(static_cast<int>(Element::I32), TALLY_INT32);
  EXPECT_EQ(static_cast<int>(Element::U32), TALLY_UINT32);
  EXPECT_EQ(static_cast<int>(Element::I64), TALLY_INT64);
  EXPECT_EQ(static_cast<int>(Element::U64), TALLY_UINT64);
  EXPECT_EQ(static_cast<int>(Element::F16), TALLY_FLOAT16);
  EXPECT_EQ(static_cast<int>(Element::BF16), TALLY_BFLOAT16);
  EXPECT_EQ(static_cast<int>(Element::F32), TALLY_FLOAT32);
  EXPECT_EQ(static_cast<int>(Element::F64), TALLY_FLOAT64);
}

TEST(CApi, FailuresHaveAStatusAndAText) {
  TallyProgram *program = nullptr;
  char *error = nullptr;
  EXPECT_EQ(tally_program_load("/nonexistent/net.so", &program, &error),
            TALLY_SYSTEM);
  EXPECT_NE(take(error).find("/nonexistent/net.so"), std::string::npos);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(tally_program_load(TALLY_SOURCE_DIR "/README.md", &program, &error),
            TALLY_MODEL);
  EXPECT_NE(take(error).find("ART-1"), std::string::npos);
  EXPECT_EQ(tally_program_load(nullptr, &program, &error), TALLY_USAGE);
  EXPECT_NE(take(error).find("CAPI-1"), std::string::npos);
  EXPECT_EQ(tally_program_verify(nullptr, &error), TALLY_USAGE);
  EXPECT_NE(take(error).find("CAPI-1"), std::string::npos);
  TallyContext *context = nullptr;
  EXPECT_EQ(tally_context_create(nullptr, &context, &error), TALLY_USAGE);
  tally_error_free(error);
}

TEST(CApi, MissingPointersAreRefused) {
  Loaded loaded;
  int8_t x[6] = {};
  const void *inputs[] = {x};
  void *outputs[] = {nullptr};
  char *error = nullptr;
  EXPECT_EQ(tally_run(loaded.context, inputs, outputs, &error), TALLY_USAGE);
  EXPECT_NE(take(error).find("every input and output"), std::string::npos);
  EXPECT_EQ(tally_run(loaded.context, nullptr, outputs, nullptr), TALLY_USAGE);
  EXPECT_EQ(tally_run(nullptr, inputs, outputs, nullptr), TALLY_USAGE);
}
