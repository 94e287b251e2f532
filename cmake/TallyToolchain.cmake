# Packages, compiler flags and the one target that lets a library see MLIR.

find_package(MLIR 22.1 REQUIRED CONFIG)
find_package(Protobuf 3.21 REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Float results are part of the product's meaning: no contraction, no
# reassociation, ever, in any of our own code.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options(-fcolor-diagnostics)
endif()

find_program(TALLY_CCACHE ccache)
if(TALLY_CCACHE)
  # Precompiled headers need these sloppiness flags to be cacheable.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TALLY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

find_program(TALLY_LLD NAMES ld.lld-22 ld.lld)
if(TALLY_LLD)
  add_link_options(-fuse-ld=lld)
endif()

if(TALLY_SANITIZE)
  add_compile_options(-fsanitize=${TALLY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${TALLY_SANITIZE})
endif()
if(TALLY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# tally::llvm sees LLVM's headers (support, object files, JSON); tally::mlir
# also sees MLIR's. A target that links neither cannot include them, which is
# how the "no MLIR" folders are kept honest.
add_library(tally_llvm INTERFACE)
add_library(tally::llvm ALIAS tally_llvm)
target_include_directories(tally_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(tally_llvm INTERFACE ${llvm_definitions})
target_link_libraries(tally_llvm INTERFACE LLVM)

add_library(tally_mlir INTERFACE)
add_library(tally::mlir ALIAS tally_mlir)
target_include_directories(tally_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})

# Commands start often, and a start makes 30,000 lookups for libMLIR.so, which are
# 26 of its 60 ms. Those with TALLY_STATIC_MLIR have what they use of MLIR inside. They link the archives alone, not what MLIR's targets need, which
# names libMLIR.so here and there; lld takes symbols from them in any order.
add_library(tally_mlir_archives INTERFACE)
get_property(mlir_all GLOBAL PROPERTY MLIR_ALL_LIBS)
foreach(lib IN LISTS mlir_all)
  get_target_property(type ${lib} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    target_link_libraries(tally_mlir_archives INTERFACE $<TARGET_FILE:${lib}>)
  endif()
endforeach()
target_link_libraries(tally_mlir INTERFACE tally::llvm
  $<IF:$<BOOL:$<TARGET_PROPERTY:TALLY_STATIC_MLIR>>,tally_mlir_archives,MLIR>)
