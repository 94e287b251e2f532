# The two commands of the README are `make demo` and `make test`; each installs
# what is missing, builds, and does its job. `make help` lists the others.
# CMake does the building (see CMakePresets.json); this file only names the
# things a person wants.

PREFIX ?= /usr/local
SECONDS_PER_FUZZER ?= 60

MAKEFLAGS += --no-print-directory
.PHONY: help demo test test-long build models setup asan tsan fuzz format check-format tidy install clean
.DEFAULT_GOAL := help

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' Makefile

demo: build ## compile and run the digits network, compare with onnxruntime
	@scripts/demo dev

test: build models ## run every test; the last line counts them
	@scripts/test dev

test-long: build models ## the same with all combinations and far more random graphs
	@scripts/test --long dev

models: setup ## fetch and make the networks that tests use (build/models)
	@scripts/models || { [ "$$CI" != true ] && \
	  echo "going on without: tests of networks will be skipped"; }

build: setup ## build everything (build/dev: optimised, with assertions)
	@scripts/build dev

setup: ## install what is missing (Debian 12), quick when nothing is
	@scripts/setup

asan: setup ## build and test with address and undefined-behaviour sanitizers
	@scripts/build asan
	@scripts/test asan

tsan: setup ## run the tests of contexts under the thread sanitizer
	@scripts/build tsan TallyRuntimeTest
	@ctest --preset tsan

fuzz: setup ## run each fuzz program for SECONDS_PER_FUZZER=60, random graphs too
	@scripts/build fuzz
	@scripts/fuzz $(SECONDS_PER_FUZZER)

format: setup ## format every C and C++ source
	@scripts/format

check-format: setup ## tell which sources are not formatted
	@scripts/format --check

tidy: build ## clang-tidy on what changed since origin/main
	@scripts/tidy.py

install: setup ## build the release preset and install it under PREFIX=/usr/local
	@scripts/build release
	@cmake --install build/release --prefix "$(PREFIX)"

clean: ## remove all builds (keeps .venv)
	rm -rf build
