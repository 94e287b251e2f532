//===- ProductsForTests.h - products under all their schedules --*- C++ -*-===//
//
// For tests only: graphs of products on codes, compiled with any schedules,
// against the evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_PRODUCTSFORTESTS_H
#define TALLY_CPU_PRODUCTSFORTESTS_H

#include "tally/cpu/CpuCompiler.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace tally::cpu {

class ScheduledProducts : public testing::Test {
protected:
  using Accepts = std::function<bool(const ProductSchedule &)>;

  ScheduledProducts();

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  /// "%NAME = nn.constant ..." of random bytes, of a type written as
  /// tensor<`shape`x!quant.uniform<`grid`>>, `grid` being of i8 or u8.
  std::string weights(const std::string &name, const std::string &shape,
                      int64_t count, const std::string &grid);
  /// What a product of random codes of 8 bits is divided by, so that of its
  /// sums about all bits but the lowest can be seen.
  static double scaleOfSums(int64_t terms);

  mlir::OwningOpRef<mlir::ModuleOp> parse();
  CpuOptions optionsOf(Tier tier, int64_t threads);
  std::vector<ProductTask> tasks(const CpuOptions &options);
  /// `count` of the candidates that are accepted, or all, of each product on
  /// someTiers(); none accepted are all.
  void compareSchedules(size_t count, int64_t threads = 1,
                        const Accepts &accepts = {});

  std::string text;          ///< of the graph, which a test writes
  std::mt19937_64 random{1}; // NOLINT(bugprone-random-generator-seed)

private:
  /// The best tier of this machine and one more, which may be emulated; in a
  /// long run all tiers that can run.
  std::vector<Tier> someTiers();
  /// Data of all values for the inputs, and what the evaluator makes of them.
  void evaluate();
  /// What code with these schedules gives is the evaluator's.
  void compare(const CpuOptions &options);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<eval::Tensor> inputs;
  eval::Tensor expected;
};

} // namespace tally::cpu

#endif // TALLY_CPU_PRODUCTSFORTESTS_H
