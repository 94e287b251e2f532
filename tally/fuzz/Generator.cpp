//===- Generator.cpp - random graphs --------------------------------------===//

#include "tally/fuzz/Generator.h"
#include "tally/fuzz/Recipes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

func::FuncOp Graph::main() const {
  return cast<func::FuncOp>(
      mlir::SymbolTable::lookupSymbolIn(module.get(), "main"));
}

Graph Graph::clone() const {
  return {OwningOpRef<ModuleOp>(cast<ModuleOp>((*module)->clone())), inputs,
          dropped};
}

void fuzz::loadDialects(MLIRContext &context) {
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
}

namespace {
/// A family of recipes and how often it is drawn.
struct Family {
  int64_t weight;
  ArrayRef<Recipe> (*recipes)();
};
} // namespace

static constexpr Family kFamilies[] = {
    {26, productRecipes},  {30, elementwiseRecipes}, {8, windowRecipes},
    {7, reductionRecipes}, {17, movementRecipes},    {8, normalizationRecipes},
    {7, integerRecipes},   {3, indexingRecipes},
};

/// One of `rows`, in proportion to their weights.
template <typename Row>
static const Row &drawRow(Random &random, ArrayRef<Row> rows) {
  int64_t total = 0;
  for (const Row &row : rows)
    total += row.weight;
  int64_t draw = random.below(total);
  const Row *row = rows.begin();
  while (draw >= row->weight)
    draw -= (row++)->weight;
  return *row;
}

/// What nobody reads, in most cases (the rest is dead code); of the others few,
/// which are inner tensors with readers and outputs at once.
static void chooseOutputs(GraphBuilder &graph, Random &random,
                          SmallVectorImpl<Value> &outputs) {
  size_t before = outputs.size();
  for (Value value : graph.published())
    if (random.chance(value.use_empty() ? 92 : 8))
      outputs.push_back(value);
  if (outputs.size() == before && !graph.published().empty())
    outputs.push_back(graph.published().back());
}

Graph fuzz::generate(MLIRContext &context, ArrayRef<uint64_t> seeds) {
  Graph graph;
  Location loc = UnknownLoc::get(&context);
  graph.module = ModuleOp::create(loc);
  auto main =
      func::FuncOp::create(loc, "main", FunctionType::get(&context, {}, {}));
  graph.module->push_back(main);
  main.addEntryBlock();
  SmallVector<Value> outputs;
  Random random(0);
  GraphBuilder builder(main, random);
  for (uint64_t seed : seeds) {
    random = Random(seed);
    builder.startGraph();
    int64_t steps = random.between(1, 7);
    // Some recipes find that what they drew does not fit.
    for (int64_t i = 0; i < steps || builder.published().empty(); ++i) {
      const Family &family = drawRow(random, ArrayRef(kFamilies));
      drawRow(random, family.recipes()).make(builder);
      while (!builder.published().empty() && random.chance(35))
        follow(builder);
    }
    chooseOutputs(builder, random, outputs);
  }
  func::ReturnOp::create(builder.builder, loc, outputs);
  SmallVector<Type> results(ValueRange(outputs).getTypes());
  main.setType(FunctionType::get(&context, main.getArgumentTypes(), results));
  for (Value argument : main.getArguments())
    graph.inputs.push_back(builder.valueOf(argument));
  graph.dropped = builder.dropped;
  return graph;
}
