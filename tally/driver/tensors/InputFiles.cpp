//===- InputFiles.cpp - tensors for a run, from the command line ----------===//

#include "tally/driver/tensors/InputFiles.h"
#include "tally/driver/tensors/NpyTensor.h"
#include "tally/driver/tensors/RandomTensor.h"
#include "tally/driver/tensors/Summary.h"
#include "tally/support/Npz.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

using namespace tally;
using llvm::StringRef;
using runtime::TensorInterface;

static tally::Diagnostic usage(std::string rule, std::string message,
                               std::string hint = "") {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

namespace {
class InputReader {
public:
  InputReader(const std::vector<TensorInterface> &inputs,
              std::optional<int64_t> steps)
      : inputs(inputs), steps(steps), found(inputs.size()) {}

  Status readArgument(const std::string &argument);
  Status fillMissing(std::optional<uint64_t> random);
  std::vector<eval::Tensor> take();

private:
  Result<size_t> indexOf(const std::string &name) const;
  std::string names() const;
  Status readArchive(const std::string &file);
  Status readRandom(size_t index, StringRef text);
  Result<NpyArray> readFileOf(const std::string &name,
                              const std::string &file) const;
  Status give(size_t index, const NpyArray &array, const std::string &file);
  Status give(size_t index, eval::Tensor tensor);

  TensorInterface ofAllSteps(size_t index) const;
  std::string stepsHint(size_t index, const eval::Shape &shape) const;

  const std::vector<TensorInterface> &inputs;
  const std::optional<int64_t> steps;
  std::vector<std::optional<eval::Tensor>> found;
};
} // namespace

std::string InputReader::names() const {
  std::string text;
  for (const TensorInterface &input : inputs)
    text += (text.empty() ? "" : ", ") + quoted(input.name);
  return text.empty() ? "the model has no inputs" : "inputs: " + text;
}

Result<size_t> InputReader::indexOf(const std::string &name) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == name)
      return i;
  return usage("RUN-1", "there is no input named " + quoted(name), names());
}

TensorInterface InputReader::ofAllSteps(size_t index) const {
  TensorInterface input = inputs[index];
  if (steps)
    input.shape.insert(input.shape.begin(), *steps);
  if (steps && input.quant && !input.quant->perTensor())
    ++input.quant->axis;
  return input;
}

Status InputReader::give(size_t index, eval::Tensor tensor) {
  if (found[index])
    return usage("RUN-4",
                 "input " + quoted(inputs[index].name) + " is given twice");
  tensor.quant = inputs[index].quant;
  found[index] = std::move(tensor);
  return Status::success();
}

/// What to try for an array that has the input's shape, but for steps.
std::string InputReader::stepsHint(size_t index,
                                   const eval::Shape &shape) const {
  if (shape.empty() || !std::ranges::equal(std::ranges::drop_view(shape, 1),
                                           inputs[index].shape))
    return steps ? "of all steps it is " + shapeText(ofAllSteps(index).shape)
                 : "";
  return "it holds " + std::to_string(shape.front()) +
         " steps: write --steps " + std::to_string(shape.front());
}

Status InputReader::give(size_t index, const NpyArray &array,
                         const std::string &file) {
  const TensorInterface &input = inputs[index];
  NpyType wanted = npyTypeOf(input.element);
  auto wrong = [&](std::string rule, std::string message,
                   std::string hint = "") {
    tally::Diagnostic failure =
        usage(std::move(rule), std::move(message), std::move(hint));
    failure.file = file;
    return failure;
  };
  if (array.dtype != wanted)
    return wrong("RUN-2", "input " + quoted(input.name) + " takes " +
                              std::string(npyTypeName(wanted)) +
                              (input.quant ? " codes" : "") +
                              ", the array holds " +
                              std::string(npyTypeName(array.dtype)));
  if (array.shape != input.shape && array.shape != ofAllSteps(index).shape)
    return wrong("RUN-3",
                 "input " + quoted(input.name) + " has shape " +
                     shapeText(input.shape) + ", the array has " +
                     shapeText(array.shape),
                 stepsHint(index, array.shape));
  return give(index, fromNpy(array, input.element));
}

static const NpzEntry *entryFor(const std::vector<NpzEntry> &entries,
                                const std::string &name) {
  for (const NpzEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  return entries.size() == 1 ? &entries[0] : nullptr;
}

Result<NpyArray> InputReader::readFileOf(const std::string &name,
                                         const std::string &file) const {
  if (!StringRef(file).ends_with(".npz"))
    return readNpy(file);
  auto entries = readNpz(file);
  if (!entries)
    return entries.takeError();
  if (const NpzEntry *entry = entryFor(*entries, name))
    return entry->array;
  std::string held;
  for (const NpzEntry &entry : *entries)
    held += (held.empty() ? "" : ", ") + quoted(entry.name);
  tally::Diagnostic failure =
      usage("RUN-1", "the archive has no array named " + quoted(name),
            "arrays: " + held);
  failure.file = file;
  return failure;
}

Status InputReader::readArchive(const std::string &file) {
  auto entries = readNpz(file);
  if (!entries)
    return entries.takeError();
  for (const NpzEntry &entry : *entries) {
    auto index = indexOf(entry.name);
    if (!index) {
      tally::Diagnostic failure = index.takeError();
      failure.file = file;
      return failure;
    }
    if (Status status = give(*index, entry.array, file); !status)
      return status;
  }
  return Status::success();
}

/// The largest finite number of a float type.
static double largestNumber(eval::Element element) {
  switch (element) {
  case eval::Element::F16:
    return 65504;
  case eval::Element::BF16:
    return 0x1.fep127;
  case eval::Element::F32:
    return std::numeric_limits<float>::max();
  default:
    return std::numeric_limits<double>::max();
  }
}

/// "LOW..HIGH" within what `input` can hold.
static Result<RandomRange> parseRange(const TensorInterface &input,
                                      StringRef text) {
  auto [low, high] = text.split("..");
  RandomRange range;
  bool parsed = !low.getAsDouble(range.low) && !high.getAsDouble(range.high) &&
                range.low <= range.high &&
                std::isfinite(range.high - range.low);
  if (parsed && eval::isFloat(input.element))
    parsed = std::max(std::abs(range.low), std::abs(range.high)) <=
             largestNumber(input.element);
  if (parsed && !eval::isFloat(input.element)) {
    double least =
        input.quant ? input.quant->qmin : eval::minValue(input.element);
    double most =
        input.quant ? input.quant->qmax : eval::maxValue(input.element);
    parsed = range.low >= least && range.high <= most &&
             std::abs(range.low) <= 0x1p53 && std::abs(range.high) <= 0x1p53 &&
             range.low == std::floor(range.low) &&
             range.high == std::floor(range.high);
  }
  if (!parsed)
    return usage("RUN-1",
                 "'" + text.str() + "' is no range for input " +
                     quoted(input.name) + " of type " +
                     eval::name(input.element),
                 "write LOW..HIGH, for example random:7:0..9");
  return range;
}

Status InputReader::readRandom(size_t index, StringRef text) {
  auto [seedText, rangeText] = text.split(':');
  uint64_t seed = 0;
  if (seedText.getAsInteger(10, seed))
    return usage("RUN-1", "'" + seedText.str() + "' is no seed",
                 "write random:SEED with an integer from 0 to 2^64 - 1");
  std::optional<RandomRange> range;
  if (!rangeText.empty()) {
    auto parsed = parseRange(inputs[index], rangeText);
    if (!parsed)
      return parsed.takeError();
    range = *parsed;
  }
  return give(index, randomTensor(ofAllSteps(index), seed, index, range));
}

/// Where NAME ends: a name may hold '=', so the longest input name that fits
/// counts, and without one the first '='.
static size_t splitPoint(const std::vector<TensorInterface> &inputs,
                         const std::string &argument) {
  size_t best = 0;
  for (const TensorInterface &input : inputs)
    if (StringRef(argument).starts_with(input.name + "="))
      best = std::max(best, input.name.size());
  return best ? best : argument.find('=');
}

Status InputReader::readArgument(const std::string &argument) {
  size_t at = splitPoint(inputs, argument);
  if (at == std::string::npos) {
    if (StringRef(argument).ends_with(".npz"))
      return readArchive(argument);
    return usage("RUN-1", "'" + argument + "' names no input",
                 "write --input NAME=FILE.npy, NAME=random:SEED or FILE.npz; " +
                     names());
  }
  std::string name = argument.substr(0, at), value = argument.substr(at + 1);
  auto index = indexOf(name);
  if (!index)
    return index.takeError();
  StringRef text(value);
  if (text.consume_front("random:"))
    return readRandom(*index, text);
  auto array = readFileOf(name, value);
  if (!array)
    return array.takeError();
  return give(*index, *array, value);
}

Status InputReader::fillMissing(std::optional<uint64_t> random) {
  std::string missing, paste;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (found[i])
      continue;
    if (random) {
      found[i] = randomTensor(ofAllSteps(i), *random, i);
      continue;
    }
    missing += (missing.empty() ? "" : ", ") + quoted(inputs[i].name) + " (" +
               eval::name(inputs[i].element) + " " +
               shapeText(inputs[i].shape) + ")";
    paste += " --input " + inputs[i].name + "=FILE.npy";
  }
  if (missing.empty())
    return Status::success();
  return usage("RUN-4", "no data for input " + missing,
               "add" + paste + ", or --random SEED for made-up data");
}

std::vector<eval::Tensor> InputReader::take() {
  std::vector<eval::Tensor> tensors;
  tensors.reserve(found.size());
  for (std::optional<eval::Tensor> &tensor : found)
    tensors.push_back(std::move(*tensor));
  return tensors;
}

Result<std::vector<eval::Tensor>>
tally::readInputs(const std::vector<TensorInterface> &inputs,
                  const std::vector<std::string> &arguments,
                  std::optional<uint64_t> random,
                  std::optional<int64_t> steps) {
  InputReader reader(inputs, steps);
  for (const std::string &argument : arguments)
    if (Status status = reader.readArgument(argument); !status)
      return status.takeError();
  if (Status status = reader.fillMissing(random); !status)
    return status.takeError();
  return reader.take();
}

std::vector<eval::Tensor>
tally::inputsOfStep(const std::vector<TensorInterface> &inputs,
                    const std::vector<eval::Tensor> &tensors, int64_t step) {
  std::vector<eval::Tensor> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    eval::Tensor tensor = tensors[i];
    if (tensor.shape != inputs[i].shape) {
      tensor.shape = inputs[i].shape;
      tensor.storage = std::shared_ptr<std::byte[]>(
          tensor.storage, tensor.storage.get() + step * tensor.byteCount());
    }
    result.push_back(std::move(tensor));
  }
  return result;
}
