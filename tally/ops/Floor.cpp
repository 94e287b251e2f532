//===- Floor.cpp - the greatest integer not above x -----------------------===//

#include "tally/eval/Elementwise.h"
#include "tally/ops/Inference.h"

#include <cmath>

using namespace tally;
using namespace tally::nn;

quant::UnaryFunction FloorOp::unaryFunction() {
  return {quant::UnaryKind::Floor};
}

Status FloorOp::evaluate(eval::Request &request) {
  eval::UnaryMeaning meaning;
  meaning.f32 = [](float x) { return std::floor(x); };
  meaning.f64 = [](double x) { return std::floor(x); };
  meaning.real.rational = [](const mpq_class &x) {
    mpz_class result;
    mpz_fdiv_q(result.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
    return mpq_class(result);
  };
  return eval::evaluateUnary(request, meaning);
}
