//===- OptMain.cpp - the pass runner for tests ----------------------------===//

#include "tally/driver/OptMain.h"
#include "tally/ops/Ops.h"
#include "tally/rewrite/fusion/Fusion.h"
#include "tally/rewrite/layout/Layout.h"
#include "tally/rewrite/quantize/Quantize.h"
#include "tally/rewrite/state/Place.h"
#include "tally/schedule/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int tally::optMain(int argc, char **argv) {
  rewrite::registerLayoutPass();
  rewrite::registerPlaceStatesPass();
  rewrite::registerQuantizePass();
  rewrite::registerFusionPasses();
  mlir::DialectRegistry registry;
  registry.insert<nn::NnDialect, npu::NpuDialect, mlir::func::FuncDialect,
                  mlir::quant::QuantDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tally pass runner\n", registry));
}
