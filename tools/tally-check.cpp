//===- tally-check.cpp - runs the cases of a test file --------------------===//

#include "tally/driver/CheckFile.h"

int main(int argc, char **argv) { return tally::checkFileMain(argc, argv); }
