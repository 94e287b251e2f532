//===- ModelReport.h - what a model is, before compiling --------*- C++ -*-===//

#ifndef TALLY_DRIVER_MODELREPORT_H
#define TALLY_DRIVER_MODELREPORT_H

#include "tally/support/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tally {

/// An input or output as the model states it.
struct ReportedTensor {
  std::string name;
  std::string type;              ///< "float32", or what is no tensor
  std::vector<std::string> dims; ///< "3", "N", "?"; empty for a scalar
  bool hasRank = true;
};

/// A dimension that no option binds yet, and the option that would.
struct ReportedDimension {
  std::string input, dimension, option;
};

/// A node that stays float in a quantized model.
struct ReportedFloatNode {
  std::string node, op, reason, suggestion;
};

/// How a model is quantized, by nodes.
struct QuantizationStyle {
  int64_t quantizeNodes = 0;   ///< QuantizeLinear
  int64_t dequantizeNodes = 0; ///< DequantizeLinear
  int64_t operatorNodes = 0;   ///< QLinearConv, QGemm, ConvInteger, ...
  int64_t dynamicNodes = 0;    ///< DynamicQuantizeLinear
  int64_t perChannel = 0;      ///< quantizations with several constant scales

  /// "QDQ, per-channel", "QOperator", "dynamic", "float", or joined by " + ".
  std::string text() const;
};

/// Facts that need the whole graph in the nn dialect.
struct GraphFacts {
  std::string assumed; ///< options assumed for open dimensions; may be empty
  int64_t macs = 0;
  int64_t constantBytes = 0; ///< equal contents once
  int64_t liveBytes = 0;     ///< most tensor bytes alive at once, program order
  std::string liveAt;        ///< the node where that is
  std::vector<ReportedFloatNode> floatNodes;
};

/// An output that its name says to be an input of the next call.
struct ReportedState {
  std::string output, input;
  bool grows = false; ///< the output is longer: a cache that gets rows
};

struct ModelReport {
  std::string path, producer;
  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< "" is the standard domain
  std::vector<ReportedTensor> inputs, outputs;
  std::vector<ReportedDimension> unbound;
  std::vector<ReportedState> proposedStates;
  std::map<std::string, int64_t> operators; ///< count by type
  QuantizationStyle style;
  std::map<std::string, std::vector<std::string>> unsupported;
  bool hasFacts = false;
  GraphFacts facts;
  std::string noFacts; ///< why there are none
};

/// For people, and as one JSON object with "version": 1.
void printModel(llvm::raw_ostream &os, const ModelReport &report);
void writeModel(llvm::raw_ostream &os, const ModelReport &report);

} // namespace tally

#endif // TALLY_DRIVER_MODELREPORT_H
