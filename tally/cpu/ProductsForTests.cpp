//===- ProductsForTests.cpp - products under all their schedules ----------===//

#include "tally/cpu/ProductsForTests.h"
#include "tally/cpu/Emulation.h"
#include "tally/eval/Evaluator.h"
#include "tally/ops/Ops.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"
#include "tally/support/LongRun.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tally;
using namespace tally::cpu;

ScheduledProducts::ScheduledProducts() {
  context.loadDialect<nn::NnDialect, mlir::func::FuncDialect,
                      mlir::quant::QuantDialect>();
}

std::string ScheduledProducts::weights(const std::string &name,
                                       const std::string &shape, int64_t count,
                                       const std::string &grid) {
  std::string bytes;
  char digits[3];
  for (int64_t i = 0; i < count; ++i) {
    snprintf(digits, sizeof digits, "%02X",
             static_cast<unsigned>(pick(0, 255)));
    bytes += digits;
  }
  std::string element = grid.starts_with("u8") ? "ui8" : "i8";
  return " %" + name + " = nn.constant dense<\"0x" + bytes + "\"> : tensor<" +
         shape + "x" + element + "> : tensor<" + shape + "x!quant.uniform<" +
         grid + ">>";
}

double ScheduledProducts::scaleOfSums(int64_t terms) {
  return 75 * 75 * std::sqrt(static_cast<double>(terms)) / 40;
}

mlir::OwningOpRef<mlir::ModuleOp> ScheduledProducts::parse() {
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(parsed) << text.substr(0, text.find("dense<"));
  return parsed;
}

CpuOptions ScheduledProducts::optionsOf(Tier tier, int64_t threads) {
  CpuOptions options;
  options.tiers = {tier};
  options.threads = threads;
  options.leastSplit = 0;
  return options;
}

std::vector<ProductTask> ScheduledProducts::tasks(const CpuOptions &options) {
  auto products = productsOf(*parse(), options);
  std::vector<ProductTask> found;
  if (!products)
    ADD_FAILURE() << products.error().str();
  else
    for (const ScheduledProduct &product : *products)
      found.push_back(product.task);
  return found;
}

void ScheduledProducts::evaluate() {
  module = parse();
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  inputs.clear();
  for (mlir::Value argument : function.getArguments()) {
    eval::Tensor tensor =
        nn::describe(mlir::cast<mlir::RankedTensorType>(argument.getType()));
    tensor.allocate();
    for (auto &byte : std::span(tensor.storage.get(), tensor.byteCount()))
      byte = static_cast<std::byte>(random());
    inputs.push_back(tensor);
  }
  auto outputs = eval::evaluate(function, inputs);
  ASSERT_TRUE(outputs) << outputs.error().str();
  expected = (*outputs)[0];
}

void ScheduledProducts::compare(const CpuOptions &options) {
  auto compiled = compile(*parse(), options);
  ASSERT_TRUE(compiled) << compiled.error().str();
  for (const ScheduledProduct &product : compiled->products)
    EXPECT_EQ(product.chosen.schedule,
              options.schedules.at(product.task).schedule);
  auto program =
      runtime::jitProgram(compiled->object, std::move(compiled->interface));
  ASSERT_TRUE(program) << program.error().str();
  auto own = runtime::Context::create(std::move(*program));
  ASSERT_TRUE(own) << own.error().str();
  ASSERT_TRUE(own->setThreads(options.threads));
  auto found = own->run(inputs);
  ASSERT_TRUE(found) << found.error().str();
  EXPECT_EQ(std::memcmp((*found)[0].storage.get(), expected.storage.get(),
                        expected.byteCount()),
            0);
}

std::vector<Tier> ScheduledProducts::someTiers() {
  std::vector<Tier> all = tiersWithEmulation();
  Tier best = tiersOfThisMachine().back();
  std::vector<Tier> others = all;
  std::erase(others, best);
  if (others.empty())
    return all;
  auto drawn =
      static_cast<size_t>(pick(0, static_cast<int64_t>(others.size()) - 1));
  return someOrAll(std::vector<Tier>{best, others[drawn]}, all);
}

void ScheduledProducts::compareSchedules(size_t count, int64_t threads,
                                         const Accepts &accepts) {
  evaluate();
  for (Tier tier : someTiers()) {
    CpuOptions options = optionsOf(tier, threads);
    options.emulate = mustEmulate(tier);
    std::vector<ProductTask> found = tasks(options);
    for (const ProductTask &task : found)
      options.schedules[task].schedule = cheapestOf(task);
    for (const ProductTask &task : found) {
      std::vector<ProductSchedule> all = candidatesOf(task);
      if (accepts)
        std::erase_if(all, [&](const auto &s) { return !accepts(s); });
      std::shuffle(all.begin(), all.end(), random);
      all.resize(std::min(all.size(), count));
      for (const ProductSchedule &schedule : all) {
        SCOPED_TRACE(textOf(task) + ": " + textOf(task, schedule));
        options.schedules[task].schedule = schedule;
        compare(options);
      }
    }
  }
}
