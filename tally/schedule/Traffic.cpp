//===- Traffic.cpp - bytes between global memory and SRAM -----------------===//

#include "tally/schedule/Traffic.h"

using namespace mlir;
using namespace tally;
using namespace tally::schedule;

/// Bytes that a copy moves.
static int64_t bytesOf(npu::CommandOp copy) {
  isa::Command command = npu::commandOf(copy, /*placed=*/false);
  int64_t bytes = command.config.get(isa::DmaField::Element);
  for (uint32_t d = 0; d < 4; ++d)
    bytes *= command.config.get(uint32_t(isa::DmaField::Size0) + d);
  return bytes;
}

static bool isGlobal(npu::StorageOp storage) {
  return storage && isa::isRegion(int64_t(storage.getSpace()));
}

Traffic tally::schedule::trafficOf(npu::ProgramOp program) {
  Traffic traffic;
  Block &body = program.getBody().front();
  for (auto storage : body.getOps<npu::StorageOp>())
    if (isGlobal(storage))
      traffic.least += int64_t(storage.getBytes()) *
                       (storage.getSpace() == isa::kArenaRegion ? 2 : 1);
  for (auto command : body.getOps<npu::CommandOp>())
    if (command.getCode() == uint64_t(isa::CommandCode::DmaCopy) &&
        (isGlobal(npu::storageOf(command, "src")) ||
         isGlobal(npu::storageOf(command, "dst"))))
      traffic.moved += bytesOf(command);
  return traffic;
}
