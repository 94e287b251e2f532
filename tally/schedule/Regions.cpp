//===- Regions.cpp - where the caller's buffers are -----------------------===//

#include "tally/schedule/Regions.h"
#include "tally/emit/isa/Config.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

static std::optional<nn::StatePlace> placeOf(func::FuncOp function,
                                             FlatSymbolRefAttr name) {
  if (!name)
    return std::nullopt;
  auto module = function->getParentOfType<ModuleOp>();
  auto state = module.lookupSymbol<nn::StateOp>(name.getValue());
  return state ? nn::placeOf(state) : std::nullopt;
}

static FlatSymbolRefAttr stateOfArgument(func::FuncOp function, unsigned i) {
  return function.getArgAttrOfType<FlatSymbolRefAttr>(i, nn::kStateOfValue);
}

static FlatSymbolRefAttr stateOfResult(func::FuncOp function, unsigned i) {
  return function.getResultAttrOfType<FlatSymbolRefAttr>(i, nn::kStateOfValue);
}

std::optional<nn::StatePlace>
tally::schedule::placeOfArgument(func::FuncOp function, unsigned i) {
  return ::placeOf(function, stateOfArgument(function, i));
}

std::optional<nn::StatePlace>
tally::schedule::placeOfResult(func::FuncOp function, unsigned i) {
  return ::placeOf(function, stateOfResult(function, i));
}

std::optional<unsigned> tally::schedule::sharedArgument(func::FuncOp function,
                                                        unsigned i) {
  auto place = placeOfResult(function, i);
  bool isShared = place && (place->policy == nn::StatePolicy::InPlace ||
                            place->policy == nn::StatePolicy::Ring);
  if (!isShared)
    return std::nullopt;
  FlatSymbolRefAttr state = stateOfResult(function, i);
  for (unsigned a = nn::ownArguments(function); a < function.getNumArguments();
       ++a)
    if (stateOfArgument(function, a) == state)
      return a;
  return std::nullopt;
}

Regions tally::schedule::regionsOf(func::FuncOp function) {
  Regions regions;
  regions.end = isa::kFirstCallerRegion;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    regions.arguments.push_back(
        isCounter(function, function.getArgument(i)) ? -1 : regions.end++);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto shared = sharedArgument(function, i);
    regions.results.push_back(shared ? regions.arguments[*shared]
                                     : regions.end++);
  }
  return regions;
}

bool tally::schedule::isCounter(func::FuncOp function, BlockArgument argument) {
  auto place = placeOfArgument(function, argument.getArgNumber());
  return place && place->policy == nn::StatePolicy::Counter;
}

bool tally::schedule::isOfRing(func::FuncOp function, BlockArgument argument) {
  auto place = placeOfArgument(function, argument.getArgNumber());
  return place && place->policy == nn::StatePolicy::Ring;
}

int64_t tally::schedule::enteringFrames(const nn::StatePlace &place) {
  return std::abs(place.advance) / place.pitch;
}

int64_t tally::schedule::ringBytes(const nn::StatePlace &place, int64_t bytes) {
  int64_t all = (place.rows + enteringFrames(place)) * place.pitch;
  return place.advance < 0 ? all - place.pitch + bytes / place.rows : all;
}
