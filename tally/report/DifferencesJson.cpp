//===- DifferencesJson.cpp - a run against a reference, for programs ------===//

#include "tally/report/Differences.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tally::report;
namespace json = llvm::json;

static constexpr size_t kElementsWritten = 10;

static void writeElement(json::OStream &os, const DifferentElement &element) {
  os.object([&] {
    os.attributeArray("index", [&] {
      for (int64_t i : element.index)
        os.value(i);
    });
    os.attribute("ours", element.ours);
    os.attribute("reference", element.reference);
    if (element.exact)
      os.attribute("exact", std::ldexp(*element.exact, -kFineBits));
    if (element.rule)
      os.attribute("rule", rowOf(*element.rule).code);
  });
}

static void writeTensor(json::OStream &os, const TensorDifference &tensor,
                        bool all) {
  os.object([&] {
    os.attribute("tensor", json::fixUTF8(tensor.tensor));
    os.attribute("node", json::fixUTF8(tensor.node));
    os.attribute("op", json::fixUTF8(tensor.op));
    os.attribute("type", tensor.type);
    os.attribute("elements", tensor.count);
    os.attribute("different", tensor.different);
    os.attribute("largest", tensor.largest);
    if (tensor.sqnr)
      os.attribute("sqnr_db", *tensor.sqnr);
    if (!tensor.isFloat)
      os.attributeObject("histogram", [&] {
        for (auto [steps, count] : tensor.histogram)
          os.attribute(std::to_string(steps), count);
      });
    if (!tensor.explained.empty())
      os.attributeObject("rules", [&] {
        for (auto [rule, count] : tensor.explained)
          os.attribute(rowOf(rule).code, count);
      });
    if (!tensor.changedOperand.empty())
      os.attribute("changed_operand", json::fixUTF8(tensor.changedOperand));
    if (tensor.elements.empty())
      return;
    size_t room = all ? tensor.elements.size() : kElementsWritten;
    os.attributeArray("codes", [&] {
      for (const DifferentElement &element : tensor.elements)
        if (room-- == 0)
          break;
        else
          writeElement(os, element);
    });
  });
}

void tally::report::writeDifferences(llvm::raw_ostream &stream,
                                     const DifferenceReport &report, bool all) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("model", json::fixUTF8(report.model));
    os.attribute("executor", report.executor);
    os.attribute("reference", json::fixUTF8(report.reference));
    os.attribute("missing", report.missing);
    os.attribute("inside_groups", report.insideGroups);
    os.attribute("from_evaluator", report.fromEvaluator);
    if (report.changedByShowing)
      os.attributeObject("changed_by_showing", [&] {
        os.attribute("different", report.changedByShowing->part);
        os.attribute("count", report.changedByShowing->whole);
      });
    os.attribute("codes_compared", report.comparedCodes());
    os.attribute("codes_different", report.differentCodes());
    if (const TensorDifference *first = report.first())
      os.attributeObject("first", [&] {
        os.attribute("node", json::fixUTF8(first->node));
        os.attribute("tensor", json::fixUTF8(first->tensor));
      });
    os.attributeObject("rules", [&] {
      for (auto [rule, count] : report.ruleCounts())
        os.attribute(rowOf(rule).code, count);
    });
    os.attribute("unexplained", report.unexplained());
    os.attributeArray("decisions", [&] {
      for (const DecisionAgreement &decision : report.decisions)
        os.object([&] {
          os.attribute("output", json::fixUTF8(decision.output));
          os.attribute("agree", decision.agree);
          os.attribute("count", decision.count);
        });
    });
    os.attributeArray("tensors", [&] {
      for (const TensorDifference &tensor : report.tensors)
        writeTensor(os, tensor, all);
    });
  });
  stream << "\n";
}
