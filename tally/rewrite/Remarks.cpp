//===- Remarks.cpp - what a rewrite did, refused, and why -----------------===//

#include "tally/rewrite/Remarks.h"
#include "tally/graph/Locations.h"

using namespace mlir;
using namespace tally;
using namespace tally::rewrite;

using Kind = remark::RemarkKind;

static constexpr RemarkRow kRows[] = {
#define TALLY_REMARK(NAME, CODE, CATEGORY, KIND, MEANING)                      \
  {RemarkCode::NAME, CODE, CATEGORY, Kind::Remark##KIND, MEANING},
#include "tally/rewrite/Remarks.def"
};

llvm::ArrayRef<RemarkRow> tally::rewrite::remarkRows() { return kRows; }

const RemarkRow &tally::rewrite::rowOf(RemarkCode code) {
  return kRows[static_cast<size_t>(code)];
}

static remark::detail::InFlightRemark start(Location loc,
                                            const RemarkRow &row) {
  auto opts = remark::RemarkOpts::name(row.code)
                  .category(row.category)
                  .function("main");
  switch (row.kind) {
  case Kind::RemarkPassed:
    return remark::passed(loc, opts);
  case Kind::RemarkMissed:
    return remark::missed(loc, opts);
  case Kind::RemarkFailure:
    return remark::failed(loc, opts);
  default:
    return remark::analysis(loc, opts);
  }
}

remark::detail::InFlightRemark tally::rewrite::remarkAt(Operation *op,
                                                        RemarkCode code) {
  auto result = start(op->getLoc(), rowOf(code));
  result << remark::detail::LazyTextBuild{"Node",
                                          [op] { return nn::nodeName(op); }};
  return result;
}

remark::detail::InFlightRemark
tally::rewrite::remarkAtOutput(func::FuncOp function, unsigned i,
                               RemarkCode code) {
  auto result = start(function.getLoc(), rowOf(code));
  result << remark::detail::LazyTextBuild{
      "Node", [function, i]() mutable {
        auto name = function.getResultAttrOfType<StringAttr>(i, "nn.name");
        return name ? name.str() : "output " + std::to_string(i);
      }};
  return result;
}

static std::string valueName(Value value) {
  if (llvm::StringRef name = nn::tensorName(value); !name.empty())
    return name.str();
  Operation *producer = value.getDefiningOp();
  return producer ? nn::nodeName(producer) : "an input";
}

remark::detail::LazyTextBuild tally::rewrite::edge(Value value) {
  return {"Edge", [value] { return valueName(value); }};
}

remark::detail::LazyTextBuild tally::rewrite::other(Operation *op) {
  return {"Other", [op] { return nn::nodeName(op); }};
}
