//===- ProductSchedule.cpp - in which order a product is computed ---------===//

#include "tally/cpu/ProductSchedule.h"
#include "tally/cpu/kernels/DotProduct.h"
#include "tally/cpu/kernels/DotSchedules.h"
#include "tally/cpu/kernels/TileSchedules.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally;
using namespace tally::cpu;

const char *tally::cpu::nameOf(ProductTask::Kind kind) {
  switch (kind) {
  case ProductTask::Kind::Dots:
    return "dots";
  case ProductTask::Kind::Tiles:
    return "tiles";
  }
  return "";
}

std::string tally::cpu::textOf(const ProductTask &task) {
  std::string text =
      std::string(nameOf(task.kind)) + " " + std::to_string(task.rows) + " x " +
      std::to_string(task.columns) + " x " + std::to_string(task.steps);
  if (!task.isStraight || task.pitch != task.steps * kDotTerms)
    text += ", pitch " + std::to_string(task.pitch);
  if (task.squares)
    text += ", " + std::to_string(task.squares) + " squares";
  return text;
}

std::string tally::cpu::textOf(const ProductTask &task,
                               const ProductSchedule &schedule) {
  std::string text =
      std::to_string(schedule.rows) + "x" + std::to_string(schedule.vectors);
  bool transforms = schedule.transforms;
  int64_t rows = transforms ? task.squares : task.rows;
  int64_t steps = transforms ? task.channels / kDotTerms : task.steps;
  const char *what = transforms ? " squares" : " rows";
  if (schedule.rowBlock < rows)
    text += ", " + std::to_string(schedule.rowBlock) + what + " at a time";
  if (schedule.stepBlock < steps)
    text += ", " + std::to_string(schedule.stepBlock) + " steps at a time";
  if (schedule.copies)
    text += ", copied";
  if (schedule.transforms)
    text += ", transformed";
  if (schedule.prefetches)
    text += ", prefetched";
  return text;
}

std::vector<ProductSchedule> tally::cpu::candidatesOf(const ProductTask &task) {
  switch (task.kind) {
  case ProductTask::Kind::Dots:
    return dotCandidates(task);
  case ProductTask::Kind::Tiles:
    return tileCandidates(task);
  }
  return {};
}

int64_t tally::cpu::costOf(const ProductTask &task,
                           const ProductSchedule &schedule) {
  switch (task.kind) {
  case ProductTask::Kind::Dots:
    return dotCost(task, schedule);
  case ProductTask::Kind::Tiles:
    return tileCost(task, schedule);
  }
  return 0;
}

ProductSchedule tally::cpu::cheapestOf(const ProductTask &task) {
  std::vector<ProductSchedule> all = candidatesOf(task);
  return *llvm::min_element(all, [&](const auto &a, const auto &b) {
    return costOf(task, a) < costOf(task, b);
  });
}

const char *tally::cpu::nameOf(ChosenSchedule::Source source) {
  switch (source) {
  case ChosenSchedule::Source::Model:
    return "model";
  case ChosenSchedule::Source::Cache:
    return "cache";
  case ChosenSchedule::Source::Measured:
    return "measured";
  }
  return "";
}
