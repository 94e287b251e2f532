# The build's vocabulary. Every source is listed by name, sorted.

# tally_library(NAME SOURCES a.cpp ... [DEPS target ...])
# A library of plain C++; sees MLIR only if a dependency brings tally::mlir.
function(tally_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${arg_DEPS})
endfunction()

# tally_mlir_library(NAME SOURCES ... [DEPS ...]): the same, with MLIR and the
# precompiled header of MLIR's own headers.
function(tally_mlir_library name)
  tally_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC tally::mlir)
  tally_use_pch(${name} tally_pch MlirPch.h)
endfunction()

# tally_ops_library(NAME SOURCES ... [DEPS ...]): the same for sources that
# work with nn operators, whose generated classes are in the precompiled
# header too.
function(tally_ops_library name)
  tally_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC tally::mlir)
  tally_use_pch(${name} tally_ops_pch OpsPch.h)
  if(TARGET tally_ops_pch)
    add_dependencies(tally_ops_pch
      TallyGraphIncGen TallyInterfacesIncGen TallyOpsIncGen)
  endif()
endfunction()

# All users of one precompiled header share it; the first user's call makes it.
function(tally_use_pch name pch header)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    return()
  endif()
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  if(NOT TARGET ${pch})
    file(WRITE ${CMAKE_BINARY_DIR}/pch/${pch}.cpp "// carries a precompiled header\n")
    add_library(${pch} STATIC ${CMAKE_BINARY_DIR}/pch/${pch}.cpp)
    target_link_libraries(${pch} PRIVATE tally::mlir)
    target_include_directories(${pch} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    target_compile_options(${pch} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${pch} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()

# tally_test(NAME SOURCES FooTest.cpp ... DEPS ...): a GoogleTest program,
# registered with ctest under its own name.
function(tally_test name)
  if(NOT TALLY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TALLY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# LLVM's CMake package names only MLIR's generator.
find_program(LLVM_TABLEGEN_EXE llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
set(LLVM_TABLEGEN_TARGET ${LLVM_TABLEGEN_EXE})

# tally_tablegen(TARGET td out1 args1 [out2 args2 ...]): runs mlir-tblgen on
# `td`; outputs land at the same relative path under the build tree.
function(tally_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(pairs ${ARGN})
  set(TABLEGEN_OUTPUT)
  while(pairs)
    list(POP_FRONT pairs out args)
    separate_arguments(args)
    tablegen(MLIR ${out} ${args} EXTRA_INCLUDES ${CMAKE_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
endfunction()

# tally_fuzzer(NAME SOURCES ... DEPS ...): a libFuzzer program (preset `fuzz`).
function(tally_fuzzer name)
  if(NOT TALLY_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
