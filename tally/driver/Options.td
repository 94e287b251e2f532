//===- Options.td - the options of the tally command --------*- tablegen -*-===//
//
// Every option once, with the commands that take it. Help texts, parsing and
// "did you mean" follow from here.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

def InCompile : OptionVisibility;
def InRun : OptionVisibility;
def InInspect : OptionVisibility;
def InExplain : OptionVisibility;
def InDiff : OptionVisibility;
def InBench : OptionVisibility;
def InOps : OptionVisibility;
def InPlan : OptionVisibility;
def InMachine : OptionVisibility;
def InAsm : OptionVisibility;
def InDisasm : OptionVisibility;
def InCheck : OptionVisibility;
def InVersion : OptionVisibility;

class On<list<OptionVisibility> commands> : Visibility<commands>;

class Switch<string name, string help>
    : Flag<["--"], name>, HelpText<help>;

/// "--name VALUE" or "--name=VALUE".
multiclass Value<string name, string meta, string help,
                 list<OptionVisibility> commands> {
  def NAME : Separate<["--"], name>, MetaVarName<meta>, HelpText<help>,
             On<commands>;
  def NAME # _joined : Joined<["--"], name # "=">, Alias<!cast<Option>(NAME)>,
             On<commands>;
}

defvar Commands = [InCompile, InRun, InInspect, InExplain, InDiff, InBench, InOps,
                   InPlan, InMachine, InAsm, InDisasm, InCheck, InVersion];
def help : Switch<"help", "Print this text">,
    On<Commands>;
def help_short : Flag<["-"], "h">, Alias<help>,
    On<Commands>;
def json : Switch<"json", "Print one JSON object with a \"version\"">,
    On<[InCompile, InRun, InInspect, InExplain, InDiff, InBench, InOps, InPlan,
        InMachine, InCheck, InVersion]>;

// The model.
defvar Models = [InCompile, InRun, InInspect, InExplain, InDiff, InBench];
defm dim : Value<"dim", "NAME=SIZE",
    "Bind a named dimension of the inputs; may be repeated", Models>;
defm shape : Value<"shape", "INPUT=1x3x224x224",
    "Bind the whole shape of an input; may be repeated", Models>;
defm bind : Value<"bind", "INPUT=NUMBER,...",
    "Make an input a constant: one number for each of its elements; may be "
    "repeated", Models>;
defm inputs : Value<"inputs", "NAME,...",
    "Cut the graph: these tensors become its inputs", Models>;
defm outputs : Value<"outputs", "NAME,...",
    "Cut the graph: these tensors become its outputs", Models>;

defm state : Value<"state", "OUT=IN[:INIT]",
    "Output OUT of one call is input IN of the next: they become a state. INIT "
    "is its value before the first call: zero (default), a number, @FILE.npy, "
    "or input, which leaves it to the caller; append and slide make a cache of "
    "what gets rows in each call. 'proposed' takes all pairs that `inspect` "
    "proposes, 'proposed:append' those that grow, too; may be repeated",
    Models>;
defm keep_output : Value<"keep-output", "NAME,...",
    "Outputs that become states by --state and stay outputs, too", Models>;

def no_self_test : Switch<"no-self-test",
    "Leave out SYMBOL_selftest, which runs made-up inputs and compares with "
    "what the exact evaluator gave">, On<[InCompile]>;

// Code generation.
def tune : Switch<"tune",
    "Measure products of bytes under several schedules on this processor, and "
    "take and cache the fastest">, On<[InCompile, InBench]>;
def tune_seconds : Joined<["--"], "tune=">, MetaVarName<"SECONDS">,
    HelpText<"The same, beginning nothing new after so many seconds (default: "
             "120)">, On<[InCompile, InBench]>;
defm tune_cache : Value<"tune-cache", "FILE",
    "Take schedules from this file; with --tune keep them there (default then: "
    "tally/schedules.json in XDG_CACHE_HOME or ~/.cache)", [InCompile, InBench]>;
defvar Compilers = [InCompile, InRun, InDiff, InBench];
defm target : Value<"target", "NAME",
    "cpu: native code (default); `compile`, `run` and `explain` also take an "
    "accelerator (edge, tiny, wide, or a machine file): a program for it, which "
    "`run` simulates; `run` and `diff` also take eval: the exact evaluator, slow",
    [InCompile, InRun, InDiff, InExplain]>;
defm numerics : Value<"numerics", "PROFILE",
    "Whose arithmetic decides quantized results: ideal (default), onnxruntime "
    "or tflite", Compilers>;
defm budget : Value<"budget", "BYTES",
    "Refuse to need more arena than this, of an accelerator more global memory; "
    "takes the suffixes K, M and G (powers of 1024)",
    [InCompile, InRun, InPlan, InCheck, InExplain]>;
defm choose : Value<"choose", "NAME=VALUE,...",
    "For an accelerator: fix sizes that the compiler chooses otherwise: "
    "resident, band and weights in bytes of SRAM, prefetch in steps",
    [InCompile, InExplain]>;
defm sync_registers : Value<"sync-registers", "N",
    "For an accelerator: use no more synchronization registers than N",
    [InCompile, InExplain]>;
defm tiers : Value<"tiers", "LIST",
    "Instruction sets to make code for, chosen from at run time: x86-64, avx2, "
    "avxvnni, avx512vnni, amx; neon, i8mm (default: all of the processors)",
    Compilers>;
def emulate : Switch<"emulate",
    "With --tiers and one tier beyond avx2: its code is made of AVX2's "
    "instructions. It runs where no such processor is at hand, slowly, with the "
    "same bits">,
    On<[InCompile, InRun, InDiff]>;
defm cpu_target : Value<"cpu-target", "TARGET",
    "Processors to make code for: x86_64-linux-gnu (default) or "
    "aarch64-linux-gnu", [InCompile]>;
defm cpu : Value<"cpu", "NAME",
    "One processor to make code for, by LLVM's name, or native: the best of its "
    "instruction sets alone, in the order of instructions that suits it",
    [InCompile]>;
defm threads : Value<"threads", "N",
    "How many threads can work on one run; run and bench use as many "
    "(default: 1)", [InCompile, InRun, InBench]>;
defm max_table_bytes : Value<"max-table-bytes", "BYTES",
    "Fuse no operator whose table of codes is larger (default: 128K)",
    Compilers>;
defm table_budget : Value<"table-budget", "BYTES",
    "Fuse no chain whose tables of codes are larger together (default: 256K)",
    Compilers>;
defm max_state_copies : Value<"max-state-copies", "K",
    "Refuse code that copies more than K states in each call",
    [InCompile, InRun, InBench]>;
defm reproducer : Value<"reproducer", "FILE.mlir",
    "Keep the module that the last phase began with; removed when all goes "
    "well", [InCompile, InRun]>;

// compile
def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
    HelpText<"Where the result goes (default: the input's name in the current "
             "folder, of compile with .so, .a or .o and a C header beside it, "
             "of asm and for accelerators with .elf; of disasm standard output)">,
    On<[InCompile, InAsm, InDisasm]>;
defm machine : Value<"machine", "NAME",
    "The machine: edge, tiny, wide, or a machine file (default: of asm, edge; "
    "of run and check, the one that the program was made for)", [InAsm, InRun, InCheck]>;
defm emit : Value<"emit", "KIND",
    "so: a shared library (default), lib: a static library, obj: one object",
    [InCompile]>;
defm symbol : Value<"symbol", "NAME",
    "Prefix of the exported C names (default: from the file name)",
    [InCompile]>;
def static_arena : Switch<"static-arena",
    "Reserve the arena inside the library, for callers that pass none">,
    On<[InCompile]>;
defm stop_after : Value<"stop-after", "PHASE",
    "End after a phase: import, quantize, layout, fusion, state or codegen; for "
    "an accelerator schedule, order, memory, sync or lower instead of the last "
    "two",
    [InCompile]>;
defm dump_after : Value<"dump-after", "PHASE[=FILE]",
    "Write what a phase made, to standard output or FILE; may be repeated",
    [InCompile]>;

// check
defm try_waits : Value<"try-waits", "COUNT",
    "Of an accepted program, leave out each wait in turn, COUNT at most, and "
    "list those that it does not need", [InCheck]>;

defm fallback : Value<"fallback", "cpu",
    "With an accelerator: nodes that it cannot run become native code, in one "
    "archive with its programs",
    [InCompile, InExplain]>;

// run
defm input : Value<"input", "NAME=DATA",
    "An input's data: FILE.npy, FILE.npz, random:SEED or "
    "random:SEED:LOW..HIGH; FILE.npz alone feeds every input it names",
    [InRun, InDiff, InBench]>;
defm random : Value<"random", "SEED",
    "Made-up data for the inputs without --input (bench: 0 by default)",
    [InRun, InDiff, InBench]>;
defm steps : Value<"steps", "N",
    "run: N runs, states going on; data of an input may have the step as its "
    "first index, and outputs have. plan memory: search no longer than N steps "
    "(default: 4000000)", [InRun, InPlan]>;
defm state_in : Value<"state-in", "FILE",
    "Go on with the states of FILE, which --state-out wrote", [InRun]>;
defm state_out : Value<"state-out", "FILE",
    "Write the states after the last step; every build of the model with the "
    "same --state and --keep-output options reads them, whatever its target",
    [InRun]>;
defm output_dir : Value<"output-dir", "DIR",
    "Write every output to DIR/NAME.npy", [InRun]>;
defm compare_with : Value<"compare-with", "NAME",
    "Run eval as well, and compare all outputs bit for bit", [InRun]>;
def all_nodes : Switch<"all-nodes",
    "With --compare-with: compare every tensor that the compiled form keeps">,
    On<[InRun]>;

// run, of programs for an accelerator
def trace : Switch<"trace",
    "Print what every queue did, and when">, On<[InRun]>;
defm trace_json : Value<"trace-json", "FILE",
    "Write what every queue did, and when, as JSON that Perfetto opens", [InRun]>;
def profile : Switch<"profile",
    "Print what each node of the model took">, On<[InRun]>;
def audit : Switch<"audit",
    "Compare the bytes each command touches with those it declares">,
    On<[InRun]>;
defm perturb : Value<"perturb", "SEED",
    "Let commands take longer at random: a correct program gives equal results",
    [InRun]>;
defm scalar : Value<"scalar", "NAME=VALUE",
    "Set a run-time scalar of the program; may be repeated", [InRun]>;

// explain
defm only : Value<"only", "CATEGORY,...",
    "Show the decisions of these rewrites alone, such as quantize; for an "
    "accelerator also schedule, memory and sync",
    [InExplain]>;
def all : Switch<"all", "List everything, however long">,
    On<[InExplain, InDiff]>;
defm remarks : Value<"remarks", "FILE.yaml",
    "Write the decisions as LLVM optimization remarks as well", [InExplain]>;

// diff
defm ref : Value<"ref", "REFERENCE",
    "Whose tensors to compare with: onnxruntime, FLOAT.onnx or TENSORS.npz",
    [InDiff]>;
def ref_optimized : Switch<"ref-optimized",
    "With --ref onnxruntime: with that runtime's graph optimizations">,
    On<[InDiff]>;

// bench
defm runs : Value<"runs", "N",
    "How many samples of a millisecond or more to take (default: 30)",
    [InBench]>;
def per_layer : Switch<"per-layer",
    "Tell the time of each layer, from clock readings between the kernels">,
    On<[InBench]>;
defm against : Value<"against", "NAME",
    "onnxruntime: run it on the same inputs, sample by sample in turn (its "
    "Python package must be there)", [InBench]>;

// Plans.
defm registers : Value<"registers", "R",
    "Plan for a file of R usable registers, whatever FILE says",
    [InPlan]>;
defm svg : Value<"svg", "FILE.svg",
    "Draw the plan; of explain FILE-sram.svg, FILE-arena.svg and "
    "FILE-timeline.svg; of bench the layers", [InPlan, InExplain, InBench]>;
def fit : Switch<"fit",
    "memory: take the first plan within all limits, not the smallest">,
    On<[InPlan]>;
