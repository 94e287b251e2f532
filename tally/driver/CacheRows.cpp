//===- CacheRows.cpp - a model for fewer rows of its cache ----------------===//
//
// Which sizes count rows, the model says by name: those of the cache's input
// and output along the dimension that grows, such as `past` and `past + 1`, and
// every size whose name holds one of these as a word. All others stay.
//
//===----------------------------------------------------------------------===//

#include "tally/driver/CacheRows.h"
#include "tally/driver/Phases.h"
#include "tally/graph/Locations.h"
#include "tally/model/OnnxReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <set>

using namespace tally;
using llvm::StringRef;
using rewrite::StatePair;

namespace {
/// A cache's tensors, and where they grow.
struct GrownPair {
  StatePair pair;
  int64_t axis;
};
using Names = std::set<std::string>;
/// With one row, shapes fold that no other number of rows lets fold.
constexpr int64_t kFewRows = 2;
} // namespace

static const model::ValueInfo *
infoOf(const std::vector<model::ValueInfo> &infos, const std::string &name) {
  auto found = llvm::find_if(
      infos, [&](const model::ValueInfo &info) { return info.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

/// The name of a dimension, or nothing.
static std::string nameOf(const model::ValueInfo *info, int64_t axis) {
  bool isThere =
      info && info->dims && axis < static_cast<int64_t>(info->dims->size());
  return isThere ? (*info->dims)[axis].symbol : "";
}

static Names namesOfRows(const model::Graph &graph,
                         const std::vector<GrownPair> &pairs) {
  Names names;
  for (const auto &[pair, axis] : pairs) {
    names.insert(nameOf(infoOf(graph.inputs, pair.input), axis));
    names.insert(nameOf(infoOf(graph.outputs, pair.output), axis));
  }
  names.erase("");
  return names;
}

/// Whether `text` is one of the names or holds one as a word: "past + 1".
static bool countsRows(StringRef text, const Names &names) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return llvm::any_of(names, [&](StringRef name) {
    for (size_t at = text.find(name); at != StringRef::npos;
         at = text.find(name, at + 1)) {
      size_t end = at + name.size();
      bool isWord = (at == 0 || !isPart(text[at - 1])) &&
                    (end == text.size() || !isPart(text[end]));
      if (isWord)
        return true;
    }
    return false;
  });
}

static Status subtract(int64_t &size, int64_t fewer, const StatePair &pair) {
  size -= fewer;
  if (size > 0)
    return Status::success();
  return usageError("GROW-7", "the cache '" + pair.input + "' has too few rows",
                    "bind the dimension of its rows to at least 3: as many as "
                    "it is to hold");
}

/// Takes rows from the shapes that --shape gives.
static Status shrinkShapes(ModelArguments &model, const model::Graph &graph,
                           const std::vector<GrownPair> &pairs,
                           const Names &names, int64_t fewer) {
  for (auto &[input, shape] : model.shapes) {
    const model::ValueInfo *info = infoOf(graph.inputs, input);
    for (auto [d, size] : llvm::enumerate(shape)) {
      bool isCache = llvm::any_of(pairs, [&, d = d, &input = input](auto &p) {
        return p.pair.input == input && p.axis == static_cast<int64_t>(d);
      });
      std::string name = nameOf(info, static_cast<int64_t>(d));
      if (!isCache && (name.empty() || !countsRows(name, names)))
        continue;
      if (Status status = subtract(size, fewer, pairs.front().pair); !status)
        return status;
    }
  }
  return Status::success();
}

static Result<ModelArguments> withFewer(ModelArguments model,
                                        const model::Graph &graph,
                                        const std::vector<GrownPair> &pairs,
                                        int64_t fewer) {
  Names names = namesOfRows(graph, pairs);
  for (const auto &[pair, axis] : pairs) {
    std::string name = nameOf(infoOf(graph.inputs, pair.input), axis);
    if (!model.dims.count(name) && !model.shapes.count(pair.input))
      return usageError("GROW-7",
                        "the rows of the cache '" + pair.input +
                            "' are none of its symbolic dimensions",
                        "a cache that grows has a dimension that --dim binds");
  }
  for (auto &[name, size] : model.dims)
    if (countsRows(name, names))
      if (Status status = subtract(size, fewer, pairs.front().pair); !status)
        return status.takeError();
  if (Status status = shrinkShapes(model, graph, pairs, names, fewer); !status)
    return status.takeError();
  return model;
}

/// Of how many rows fewer the smallest cache has kFewRows, at least 2.
static int64_t untilFew(mlir::func::FuncOp function,
                        const std::vector<GrownPair> &pairs) {
  int64_t rows = std::numeric_limits<int64_t>::max();
  for (mlir::BlockArgument argument : function.getArguments())
    for (const auto &[pair, axis] : pairs)
      if (nn::tensorName(argument) == pair.input)
        rows = std::min(rows,
                        mlir::cast<mlir::RankedTensorType>(argument.getType())
                            .getDimSize(static_cast<unsigned>(axis)));
  return std::max<int64_t>(rows - kFewRows, 2);
}

Result<rewrite::RowCount> tally::growCaches(mlir::ModuleOp module,
                                            const ModelArguments &model,
                                            const std::vector<StatePair> &pairs,
                                            rewrite::Growth growth,
                                            const Import &import) {
  std::vector<GrownPair> grown;
  for (const StatePair &pair : pairs) {
    auto axis = rewrite::grownAxis(mainFunction(module), pair);
    if (!axis)
      return axis.takeError();
    grown.push_back({pair, *axis});
  }
  if (StringRef(model.path).ends_with(".mlir"))
    return usageError("GROW-7",
                      "the sizes of the module '" + model.path +
                          "' are settled: a cache cannot grow in it",
                      "declare its states where it is made from the .onnx "
                      "file");
  auto file = model::readOnnxFile(model.path);
  if (!file)
    return file.takeError();
  const int64_t fewer[] = {1, 2, untilFew(mainFunction(module), grown)};
  mlir::OwningOpRef<mlir::ModuleOp> shorter[3];
  for (size_t i = 0; i < std::size(fewer); ++i) {
    auto arguments = withFewer(model, file->graph, grown, fewer[i]);
    if (!arguments)
      return arguments.takeError();
    auto imported = import(*arguments);
    if (!imported)
      return imported.takeError();
    shorter[i] = std::move(*imported);
  }
  return rewrite::growCaches(module, *shorter[0], *shorter[1], *shorter[2],
                             fewer[2], pairs, growth);
}
