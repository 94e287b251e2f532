//===- Result.cpp - how a failure reads -----------------------------------===//

#include "tally/support/Result.h"

using namespace tally;

std::string Diagnostic::str() const {
  std::string text;
  if (!file.empty())
    text += file + ": ";
  if (!node.empty())
    text += "node '" + node + "': ";
  text += message;
  if (!rule.empty())
    text += " [" + rule + "]";
  if (!hint.empty())
    text += "; " + hint;
  return text;
}
