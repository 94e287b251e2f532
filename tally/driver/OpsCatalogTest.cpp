//===- OpsCatalogTest.cpp - the operators and their contracts -------------===//

#include "tally/driver/OpsCatalog.h"
#include "tally/driver/OpsText.h"

#include <gtest/gtest.h>

using namespace tally;

static const OperatorContract *
named(const std::vector<OperatorContract> &contracts, const std::string &name) {
  for (const OperatorContract &contract : contracts)
    if (contract.name == name)
      return &contract;
  return nullptr;
}

// The form that TableGen gives.
static const char *kText = R"(<!-- generated -->

### `nn.twist` (::tally::nn::TwistOp)

_Turns x about its axis_

Syntax:

```
operation ::= `nn.twist` operands
```

Text of the contract.

Rules:
  * TWIST-1  one

Traits: `Pure`

Interfaces: `Operator`, `Quantizable`

#### Attributes:

<table>
<tr><th>Attribute</th><th>MLIR Type</th><th>Description</th></tr>
<tr><td><code>axis</code></td><td>::mlir::IntegerAttr</td><td>64-bit integer</td></tr>
</table>

#### Operands:

| Operand | Description |
| :-----: | ----------- |
| `x` | tensor |

#### Results:

| Result | Description |
| :----: | ----------- |
| `y` | tensor |


### `nn.conv` (::tally::nn::ConvOp)

_N-dimensional convolution_

Syntax:

```
operation ::= `nn.conv` operands
```

#### Operands:
)";

TEST(OpsCatalog, ReadsWhatTableGenWrites) {
  auto contracts = parseContracts(kText);
  ASSERT_EQ(contracts.size(), 2u);
  const OperatorContract &twist = contracts[0];
  EXPECT_EQ(twist.name, "twist");
  EXPECT_EQ(twist.summary, "turns x about its axis");
  EXPECT_EQ(twist.text, "Text of the contract.\n\nRules:\n  * TWIST-1  one");
  EXPECT_EQ(twist.operands, std::vector<std::string>{"x"});
  EXPECT_EQ(twist.results, std::vector<std::string>{"y"});
  ASSERT_EQ(twist.attributes.size(), 1u);
  EXPECT_EQ(twist.attributes[0].name, "axis");
  EXPECT_EQ(twist.attributes[0].type, "64-bit integer");
  EXPECT_TRUE(twist.isQuantizable);
  EXPECT_FALSE(twist.isTable);
  EXPECT_EQ(contracts[1].summary, "N-dimensional convolution");
  EXPECT_TRUE(contracts[1].text.empty());
}

TEST(OpsCatalog, TheBuiltInTextHasEveryPart) {
  auto contracts = parseContracts(kOpsText);
  EXPECT_GT(contracts.size(), 50u);
  const OperatorContract *conv = named(contracts, "conv");
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv->operands,
            (std::vector<std::string>{"input", "weight", "bias"}));
  EXPECT_NE(conv->text.find("CONV-1"), std::string::npos);
  EXPECT_TRUE(conv->isQuantizable);
  for (const OperatorContract &contract : contracts)
    EXPECT_FALSE(contract.summary.empty()) << contract.name;
}

TEST(OpsCatalog, AModelsOperatorFindsItsContract) {
  auto contracts = parseContracts(kText);
  const OperatorContract *conv = &contracts[1];
  EXPECT_EQ(contractNamedLike(contracts, "Conv"), conv);
  EXPECT_EQ(contractNamedLike(contracts, "QLinearConv"), conv);
  EXPECT_EQ(contractNamedLike(contracts, "ConvInteger"), conv);
  EXPECT_EQ(contractNamedLike(contracts, "com.microsoft.QLinearConv"), conv);
  EXPECT_EQ(contractNamedLike(contracts, "Frobnicate"), nullptr);
}
