//===- tally-fuzz-graphs.cpp - random graphs against the evaluator --------===//

#include "tally/fuzz/FuzzMain.h"

int main(int argc, char **argv) { return tally::fuzz::fuzzMain(argc, argv); }
