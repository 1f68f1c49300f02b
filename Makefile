# The commands of this repository. Most run a script in scripts/.
# Ports of demo and run: NOMOS_PROXY_PORT (8080), NOMOS_UPSTREAM_PORT (9090), NOMOS_ADMIN_PORT (9901).
# Envoy: $ENVOY_PATH, else func-e, else a Python wheel kept in .tools/. See scripts/envoy.
# Without clang, nomos-xdp is left out. NOMOS_INSTALL_CLANG=1 lets root install it with apt-get. See scripts/clang.

.PHONY: help demo run wasm test test-gateway test-istio test-compose test-dist fuzz budget lint chaos bench bench-quick bench-xdp profile dist clean

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

demo: ## Heal an API that drifts in nine modes in a real Envoy, print the results, stop
	@scripts/demo

run: ## The same as demo, and stay up until Ctrl-C
	@scripts/demo --stay

wasm: ## Build the filter module: target/wasm32-wasip1/release/nomos_filter.wasm
	@scripts/wasm

test: ## Everything that CI runs: format, lints, licences, module, unit tests, fuzzing, end to end, chaos
	@scripts/test

test-gateway: ## Test deploy/envoy-gateway in a real Envoy Gateway; not in CI: the first run builds it for many minutes
	@scripts/wasm
	@scripts/gateway

test-istio: ## Test deploy/istio with a real istiod; not in CI: the first run builds it for many minutes
	@scripts/wasm
	@scripts/istio

fuzz: ## Fuzz each target for ten minutes; scripts/fuzz SECONDS TARGET for another time or one target
	@scripts/fuzz 600

budget: ## Measure the wasm instructions per response, and compare them with tests/harness/budget.txt
	@scripts/wasm
	cargo run --locked -p nomos-harness -- budget

lint: ## Check format, lints and licences only
	@scripts/toolchain
	cargo fmt --all --check
	@scripts/clippy
	@scripts/deny

chaos: ## Twenty fault scenarios on a real Envoy with two workers, each response checked: about two minutes
	@scripts/wasm
	@scripts/envoy >/dev/null
	@scripts/chaos

bench: ## Run all benchmarks, and write docs/benchmarks.md with plots: 25 minutes at most
	@scripts/toolchain
	@scripts/envoy >/dev/null
	cargo run --locked --release -p nomos-bench -- all

bench-quick: ## Run all benchmarks with fewer rounds, and write no document: 4 minutes at most
	@scripts/toolchain
	@scripts/envoy >/dev/null
	cargo run --locked --release -p nomos-bench -- quick

bench-xdp: ## Measure the XDP program: cost per packet, and Envoy's throughput with and without it; needs root
	@scripts/toolchain
	@scripts/clang >/dev/null
	@scripts/envoy >/dev/null
	cargo bench --locked -p nomos-xdp --bench cost
	cargo run --locked --release -p nomos-bench -- xdp

profile: ## Profile Envoy with perf while it heals, and write docs/profile.md: a minute
	@scripts/envoy >/dev/null
	cargo run --locked --release -p nomos-bench -- profile

dist: ## Build a release in dist/: modules with and without SIMD, images, bill of materials, checksums
	@scripts/dist

test-dist: ## Build a release twice in different directories, and compare; not in CI: about three minutes
	@scripts/dist --verify

test-compose: ## Start docker-compose.yml and test it; not in CI: it needs a Docker engine and builds all images
	@scripts/test-compose

clean: ## Remove what was built and installed in this directory: target, .tools, dist
	cargo clean
	rm -rf .tools dist
