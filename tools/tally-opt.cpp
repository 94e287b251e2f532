//===- tally-opt.cpp - runs passes on nn modules --------------------------===//

#include "tally/driver/OptMain.h"

int main(int argc, char **argv) { return tally::optMain(argc, argv); }
