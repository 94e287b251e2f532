//===- TestVectorMeaning.cpp - vector commands, slowly --------------------===//

#include "tally/quant/NativeMath.h"
#include "tally/quant/UnaryBlockBytes.h"
#include "tally/run/simulator/TestMeaning.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace tally;
using namespace tally::simulator;
using isa::CommandCode;
using isa::Function;
using machine::ElementType;

void Reference::integers() {
  Function function =
      isa::findFunction(command.code, get("function"))->function;
  elementwise([&](const Index &i) -> int64_t {
    int64_t a = operand("a", i);
    int64_t b = isa::infoOf(function).arity == 2 ? operand("b", i) : 0;
    switch (function) {
    case Function::IntAdd:
      return int64_t(uint64_t(a) + uint64_t(b));
    case Function::IntSub:
      return int64_t(uint64_t(a) - uint64_t(b));
    case Function::IntMul:
      return int64_t(uint64_t(a) * uint64_t(b));
    case Function::IntMin:
      return a < b ? a : b;
    case Function::IntMax:
      return a < b ? b : a;
    case Function::IntAnd:
      return a & b;
    case Function::IntOr:
      return a | b;
    case Function::IntXor:
      return a ^ b;
    case Function::IntEq:
      return a == b;
    case Function::IntLt:
      return a < b;
    case Function::IntLe:
      return a <= b;
    case Function::IntNeg:
      return int64_t(0 - uint64_t(a));
    case Function::IntSign:
      return a < 0 ? -1 : a > 0;
    case Function::IntNot:
      return ~a;
    default:
      isWhole = false; // FunctionTest
      return 0;
    }
  });
}

void Reference::floats() {
  Function function =
      isa::findFunction(command.code, get("function"))->function;
  forEach([&](const Index &i) {
    float a = readFloat(space("a"), at("a", i));
    float b = isa::infoOf(function).arity == 2
                  ? readFloat(space("b"), at("b", i))
                  : 0;
    int64_t to = at("out", i);
    switch (function) {
    case Function::FloatAdd:
      return writeFloat(space("out"), to, a + b);
    case Function::FloatMul:
      return writeFloat(space("out"), to, a * b);
    case Function::FloatLt:
      return write(space("out"), to, a < b, ElementType::U8);
    case Function::FloatExp:
      return writeFloat(space("out"), to, quant::pinned::exp(a));
    case Function::FloatSigmoid:
      return writeFloat(space("out"), to, quant::pinned::sigmoid(a));
    case Function::FloatReciprocal:
      return writeFloat(space("out"), to, 1 / a);
    case Function::FloatSqrt:
      return writeFloat(space("out"), to, std::sqrt(a));
    case Function::FloatAbs:
      return writeFloat(space("out"), to, a < 0 ? -a : a == 0 ? 0 : a);
    default:
      isWhole = false; // FunctionTest
    }
  });
}

static bool isInteger(ElementType type) {
  return type != ElementType::F16 && type != ElementType::F32;
}

void Reference::convert() {
  Function function =
      isa::findFunction(command.code, get("function"))->function;
  ElementType from = typeOf("a"), to = typeOf("out");
  forEach([&](const Index &i) {
    if (function == Function::ConvertDequantize)
      return writeFloat(space("out"), at("out", i),
                        float(operand("a", i) - get("zero")) *
                            std::bit_cast<float>(uint32_t(get("scale"))));
    if (function == Function::ConvertCast && isInteger(from) && isInteger(to))
      return result(i, operand("a", i));
    if (function == Function::ConvertCast && isInteger(from) &&
        to == ElementType::F32)
      return writeFloat(space("out"), at("out", i), float(operand("a", i)));
    if (function == Function::ConvertBoolean && isInteger(from))
      return result(i, operand("a", i) != 0);
    isWhole = false; // FunctionTest
  });
}

void Reference::reduce() {
  Function function =
      isa::findFunction(command.code, get("function"))->function;
  if (typeOf("a") == ElementType::F32 && function != Function::ReduceSum) {
    isWhole = false; // FunctionTest
    return;
  }
  std::map<Index, std::vector<Index>> terms; // of each result, in order
  forEach([&](const Index &i) {
    Index kept = i;
    for (size_t d = 0; d < 4; ++d)
      if (get("axes") >> d & 1)
        kept[d] = 0;
    terms[kept].push_back(i);
  });
  for (auto &[kept, list] : terms) {
    if (typeOf("a") == ElementType::F32) {
      std::vector<float> numbers;
      for (const Index &i : list)
        numbers.push_back(readFloat(space("a"), at("a", i)));
      writeFloat(space("out"), at("out", kept),
                 quant::pinned::sum(numbers.data(), numbers.size()));
      continue;
    }
    uint64_t sum = 0, squares = 0, magnitudes = 0, product = 1;
    int64_t least = INT64_MAX, most = INT64_MIN, leastAt = 0, mostAt = 0;
    for (size_t t = 0; t < list.size(); ++t) {
      int64_t a = operand("a", list[t]), x = a - get("zero");
      sum += uint64_t(x);
      squares += uint64_t(x) * uint64_t(x);
      magnitudes += uint64_t(std::abs(x));
      product *= uint64_t(x);
      if (a < least)
        least = a, leastAt = int64_t(t);
      if (a > most)
        most = a, mostAt = int64_t(t);
    }
    int64_t results[] = {int64_t(sum),
                         int64_t(squares),
                         int64_t(magnitudes),
                         int64_t(product),
                         least,
                         most,
                         leastAt,
                         mostAt};
    result(kept, results[size_t(function) - size_t(Function::ReduceSum)]);
  }
}

void Reference::pool() {
  Function function =
      isa::findFunction(command.code, get("function"))->function;
  if (typeOf("a") == ElementType::F32) {
    isWhole = false; // FunctionTest
    return;
  }
  elementwise([&](const Index &i) -> int64_t {
    int64_t sum = 0, most = INT64_MIN;
    size_t taps = 0;
    for (int64_t u = 0; u < get("kernel.h"); ++u)
      for (int64_t v = 0; v < get("kernel.w"); ++v)
        if (auto place = tap(i[1], i[2], u, v)) {
          int64_t a = operand("a", {i[0], place->first, place->second, i[3]});
          sum += a - get("zero");
          most = std::max(most, a);
          ++taps;
        }
    if (function == Function::PoolSum)
      return sum;
    if (function == Function::PoolMax) {
      isWhole &= taps > 0;
      return most;
    }
    auto block = params<isa::RequantizeBlock>();
    return taps == 0
               ? block.zero
               : block.apply(sum, block.records.size() == 1 ? 0 : taps - 1);
  });
}

void Reference::softmax() {
  auto block = params<isa::SoftmaxBlock>();
  elementwise([&](const Index &i) -> int64_t {
    int64_t most = INT64_MIN, sum = 0;
    Index j = i;
    for (j[3] = 0; j[3] < get("size3"); ++j[3])
      most = std::max(most, operand("a", j));
    for (j[3] = 0; j[3] < get("size3"); ++j[3])
      sum += block.exponentials[size_t(most - operand("a", j))];
    return block.apply(block.exponentials[size_t(most - operand("a", i))], sum);
  });
}

void Reference::vector() {
  switch (command.code) {
  case CommandCode::VectorCopy:
  case CommandCode::VectorSelect:
    return elementwise([&](const Index &i) {
      if (command.code == CommandCode::VectorCopy)
        return operand("a", i);
      return operand(operand("a", i) ? "b" : "c", i);
    });
  case CommandCode::VectorBlock: {
    auto block = quant::decodeBlock(paramBytes());
    auto channels = std::get<quant::TwoSlopeBlock>(*block).channels.size();
    return elementwise([&](const Index &i) {
      return quant::applyBlock(*block, operand("a", i), channel(i, channels));
    });
  }
  case CommandCode::VectorRescale: {
    auto block = params<isa::RequantizeBlock>();
    return elementwise([&](const Index &i) {
      return block.apply(operand("a", i), channel(i, block.records.size()));
    });
  }
  case CommandCode::VectorLinear:
    return elementwise([&, block = params<isa::LinearBlock>()](const Index &i) {
      return block.apply(operand("a", i), operand("b", i));
    });
  case CommandCode::VectorProduct: {
    auto block = params<isa::ProductBlock>();
    return elementwise([&](const Index &i) {
      return block.apply(operand("a", i), operand("b", i),
                         channel(i, block.requantize.records.size()));
    });
  }
  case CommandCode::VectorInteger:
    return integers();
  case CommandCode::VectorFloat:
    return floats();
  case CommandCode::VectorConvert:
    return convert();
  case CommandCode::VectorReduce:
    return reduce();
  case CommandCode::VectorPool:
    return pool();
  default:
    return softmax();
  }
}
