//===- NpuOps.td - the npu dialect ----------------------------*- tablegen -*-===//
//
// A program of an accelerator before it has addresses, registers and words:
// storages, and commands of engines that read and write them. What a command
// can be, which fields it has and which bytes it touches is the instruction
// table's business (tally/emit/isa); there is no second list of commands here.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SCHEDULE_NPUOPS_TD
#define TALLY_SCHEDULE_NPUOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def Npu_Dialect : Dialect {
  let name = "npu";
  let cppNamespace = "::tally::npu";
  let summary = "storages of an accelerator and the commands that use them";
  let useDefaultTypePrinterParser = 1;
}

def Npu_StorageType : TypeDef<Npu_Dialect, "Storage"> {
  let mnemonic = "storage";
  let summary = "bytes that lie together in one memory";
}

def Npu_ProgramOp : Op<Npu_Dialect, "program",
    [IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "the commands of one call, in the order of issue";
  let description = [{
    Holds npu.storage and npu.command operations for the machine of that name.
    `registers` are the synchronization registers that the plan uses,
    `final_clears` those that the processor sets to 0 when all is done.

    Rules:
      * NPU-1  the body holds nothing else
  }];
  let arguments = (ins StrAttr:$machine,
                       OptionalAttr<DenseI64ArrayAttr>:$registers,
                       OptionalAttr<DenseI64ArrayAttr>:$final_clears);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$machine attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Npu_StorageOp : Op<Npu_Dialect, "storage"> {
  let summary = "the root of bytes; views are offsets into it";
  let description = [{
    `space` is a number of tally/emit/isa/Config.h: 0 constants, 1 arena, 2
    context, from 3 on the caller's buffers, 64 SRAM, 65 accumulators. `offset`
    is where the memory plan has put it. `contents` are the bytes of a constant;
    what lies beyond them is 0.

    Rules:
      * NPU-2  bytes are positive, the alignment is a power of two
      * NPU-3  a storage of constants has contents of bytes, no other has, and
               they fit
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$bytes, I64Attr:$alignment,
                       I64Attr:$space, OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<ElementsAttr>:$contents);
  let results = (outs Npu_StorageType:$storage);
  let assemblyFormat = "$name attr-dict `:` type($storage)";
  let hasVerifier = 1;
}

def Npu_CommandOp : Op<Npu_Dialect, "command"> {
  let summary = "one command of an engine";
  let description = [{
    `operands` names the fields' prefixes ("src", "in", ...) of the storages
    that the command touches; their offsets among `fields` count from the
    storage's first byte. `fields` holds the staged fields that differ from
    their initial values, without spaces, which the storages tell.

    `step` numbers the part of the schedule it belongs to. `after` lists
    commands (by their place among the program's commands) that complete before
    it starts, whatever it reads: the schedule's releases of buffers.

    `waits` holds pairs of a register and a value, `clears` and `signals`
    registers: what the synchronization plan has added before and behind it.
    Registers are numbers of instructions. `drains` marks a command before
    which the processor lets all queues run empty and clears all registers.

    `counter` holds a number of the context and the largest value that it has,
    `steps` how many bytes it adds for each unit to the offset of each storage:
    the processor knows the number when it issues the command.

    Rules:
      * NPU-4  there is such a command, and its kind of engine has the fields
      * NPU-5  each storage has a prefix of its own
      * NPU-6  a command has a counter and its largest value, and a step for
               each storage, or neither
  }];
  let arguments = (ins StrAttr:$kind, I64Attr:$code, I64Attr:$queue,
                       Variadic<Npu_StorageType>:$storages,
                       StrArrayAttr:$operands, DictionaryAttr:$fields,
                       DefaultValuedAttr<I64Attr, "0">:$step,
                       OptionalAttr<DenseI64ArrayAttr>:$after,
                       OptionalAttr<DenseI64ArrayAttr>:$waits,
                       OptionalAttr<DenseI64ArrayAttr>:$clears,
                       OptionalAttr<DenseI64ArrayAttr>:$signals,
                       UnitAttr:$drains,
                       OptionalAttr<DenseI64ArrayAttr>:$counter,
                       OptionalAttr<DenseI64ArrayAttr>:$steps);
  let assemblyFormat =
      "$kind `(` $storages `)` attr-dict `:` type($storages)";
  let hasVerifier = 1;
}

#endif // TALLY_SCHEDULE_NPUOPS_TD
