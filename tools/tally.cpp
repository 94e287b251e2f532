//===- tally.cpp - the user's command -------------------------------------===//

#include "tally/driver/Main.h"

int main(int argc, char **argv) { return tally::tallyMain(argc, argv); }
