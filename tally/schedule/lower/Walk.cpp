//===- Walk.cpp - vector commands over whole tensors ----------------------===//

#include "tally/schedule/lower/Walk.h"
#include "tally/graph/Locations.h"

#include <bit>

using namespace mlir;
using namespace tally;
using namespace tally::schedule;
using isa::VectorField;

static void setSizes(CommandWriter &writer, ArrayRef<int64_t> sizes) {
  for (size_t d = 0; d < 4; ++d)
    writer.set(uint32_t(VectorField::Size0) + d, sizes[d]);
}

Status tally::schedule::loadParameters(Scheduler &s, Work &work) {
  if (work.parameters.empty() || work.loaded)
    return Status::success();
  auto loaded =
      s.load(s.constant(nn::nodeName(s.node) + ".parameters", work.parameters),
             int64_t(work.parameters.size()));
  if (!loaded)
    return loaded.takeError();
  work.loaded = *loaded;
  return Status::success();
}

/// A stride of 1 along the channels and 0 elsewhere, so that they stay a
/// dimension of their own, the one where it is not 0.
static Tensor channelMarker(const Tensor &like, std::optional<size_t> channel) {
  Tensor marker = like;
  marker.strides.assign(like.shape.size(), 0);
  if (channel)
    marker.strides[*channel] = 1;
  return marker;
}

void tally::schedule::setWork(CommandWriter &writer, const Work &work) {
  if (work.function)
    writer.set(VectorField::Function, isa::infoOf(*work.function).number);
  if (work.loaded)
    writer.place("params", work.loaded, 0)
        .set(VectorField::ParamsBytes, int64_t(work.parameters.size()));
  writer.set(VectorField::Zero, work.zero)
      .set(VectorField::Scale, std::bit_cast<uint32_t>(work.scale));
}

Status tally::schedule::walk(Scheduler &s, Work &work,
                             ArrayRef<const Tensor *> tensors) {
  if (Status status = loadParameters(s, work); !status)
    return status;
  static constexpr StringRef prefixes[] = {"a", "b", "c"};
  Tensor marker = channelMarker(*tensors.back(), work.channel);
  SmallVector<const Tensor *> all = {&marker};
  all.append(tensors.begin(), tensors.end());
  return forBoxes(
      tensors.back()->shape, all, [&](auto sizes, auto strides, auto offsets) {
        auto writer = s.command(work.code);
        if (!writer)
          return Status(writer.takeError());
        setSizes(*writer, sizes);
        size_t last = all.size() - 1;
        for (size_t t = 1; t < last; ++t)
          writer->box(prefixes[t - 1], *all[t], strides[t], offsets[t]);
        writer->box("out", *all[last], strides[last], offsets[last]);
        setWork(*writer, work);
        for (auto [d, mark] : llvm::enumerate(strides[0]))
          if (mark != 0)
            writer->set(VectorField::Channel, int64_t(d));
        return writer->issue();
      });
}

Status tally::schedule::copyElements(Scheduler &s, const Tensor &from,
                                     const Tensor &to) {
  Work work;
  return walk(s, work, {&from, &to});
}

Status tally::schedule::reduce(Scheduler &s, isa::Function function,
                               int64_t zero, const Tensor &from,
                               const Tensor &to) {
  int commands = 0;
  return forBoxes(
      from.shape, {&from, &to}, [&](auto sizes, auto strides, auto offsets) {
        if (commands++ > 0)
          return Status(s.unsupported("a reduction over so many dimensions"));
        auto writer = s.command(isa::CommandCode::VectorReduce);
        if (!writer)
          return Status(writer.takeError());
        setSizes(*writer, sizes);
        int64_t axes = 0;
        for (size_t d = 0; d < 4; ++d)
          axes |= int64_t(strides[1][d] == 0) << d;
        writer->box("a", from, strides[0], offsets[0])
            .box("out", to, strides[1], offsets[1])
            .set(VectorField::Function, isa::infoOf(function).number)
            .set(VectorField::Axes, axes)
            .set(VectorField::Zero, zero);
        return writer->issue();
      });
}
