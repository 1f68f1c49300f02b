# The commands people type. The work is in scripts/.
# Ports of demo and run: NOMOS_PROXY_PORT (8080), NOMOS_UPSTREAM_PORT (9090), NOMOS_ADMIN_PORT (9901).
# Envoy: $ENVOY_PATH, else func-e, else a wheel in .tools/ (scripts/envoy says more).

.PHONY: help demo run wasm test test-gateway test-istio test-compose test-dist fuzz budget lint chaos bench bench-quick bench-xdp profile dist clean

help: ## Print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

demo: ## Heal an API that drifts in nine modes in a real Envoy, show it, stop
	@scripts/demo

run: ## The same, and stay up until Ctrl-C
	@scripts/demo --stay

wasm: ## Build the filter module: target/wasm32-wasip1/release/nomos_filter.wasm
	@scripts/wasm

test: ## Everything that CI runs: format, lints, licences, module, unit tests, end to end
	@scripts/test

test-gateway: ## deploy/envoy-gateway in a real Envoy Gateway; not in CI, since the first run builds it: many minutes
	@scripts/wasm
	@scripts/gateway

test-istio: ## deploy/istio with a real istiod; not in CI, since the first run builds it: many minutes
	@scripts/wasm
	@scripts/istio

fuzz: ## Fuzz each target for ten minutes (scripts/fuzz SECONDS TARGET: otherwise)
	@scripts/fuzz 600

budget: ## What responses cost in the module, in fuel, against tests/harness/budget.txt
	@scripts/wasm
	cargo run --locked -p nomos-harness -- budget

lint: ## Format, lints and licences only
	@scripts/toolchain
	cargo fmt --all --check
	@scripts/clippy
	@scripts/deny

chaos: ## Twenty kinds of trouble for a real Envoy with two workers, each response checked: about two minutes
	@scripts/wasm
	@scripts/envoy >/dev/null
	@scripts/chaos

bench: ## Everything that is measured, with plots into docs/benchmarks.md: 25 minutes at most
	@scripts/toolchain
	@scripts/envoy >/dev/null
	cargo run --locked --release -p nomos-bench -- all

bench-quick: ## The same with less certainty, without the document: 4 minutes at most
	@scripts/toolchain
	@scripts/envoy >/dev/null
	cargo run --locked --release -p nomos-bench -- quick

bench-xdp: ## Cost of the XDP program per packet, and what it takes of Envoy's throughput; needs root
	@scripts/toolchain
	@scripts/clang >/dev/null
	@scripts/envoy >/dev/null
	cargo bench --locked -p nomos-xdp --bench cost
	cargo run --locked --release -p nomos-bench -- xdp

profile: ## Where the time goes in Envoy, by perf, into docs/profile.md: a minute
	@scripts/envoy >/dev/null
	cargo run --locked --release -p nomos-bench -- profile

dist: ## What a release consists of: modules with and without SIMD, images, bill of materials, checksums; into dist/
	@scripts/dist

test-dist: ## Make that twice, in other directories, and compare; not in CI, which makes it once: about three minutes
	@scripts/dist --verify

test-compose: ## Bring docker-compose.yml up for real; not in CI, since it needs a Docker engine and compiles all in images
	@scripts/test-compose

clean: ## Remove what was built and installed in this directory
	cargo clean
	rm -rf .tools dist
