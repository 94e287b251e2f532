//===- Ceil.cpp - the least integer not below x ---------------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction CeilOp::unaryFunction() {
  return {quant::UnaryKind::Ceil};
}

Status CeilOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return std::ceil(x); };
  meaning.f64 = [](double x) { return std::ceil(x); };
  meaning.real.rational = [](const mpq_class &x) {
    mpz_class result;
    mpz_cdiv_q(result.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    return mpq_class(result);
  };
  return eval::evaluateUnary(request, meaning);
}
