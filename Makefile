# The newcomer's two commands are `make e2e` and `make test`.

GO        ?= go
ARTIFACTS ?= $(CURDIR)/_artifacts
VERSION   ?=
STACK     ?=
MATRIX    ?=
SCHEDULER ?=
CONTROLLERS ?=
KUBELET   ?=
RUNS      ?= 10
RUN_ARGS  ?=
N         ?= 20000
SEED      ?= 1
FIRST     ?= 0
SOAK_ARGS ?=
UPGRADE_ARGS ?=
PROVE_ARGS ?=
DRIVER    ?= test-driver
PERF_ARGS ?=
FROM      ?= 1.36
WORKLOADS ?=
REPEAT    ?= 3
BENCH_ARGS ?=
CLUSTER   ?=
SCREENSHOTS ?=
V         ?=
REGISTRY  ?=

# Writes deep copies and CustomResourceDefinitions of implementation/classic/api.
CONTROLLER_GEN := $(GO) run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object crd paths=./classic/api/...
TOOL     := $(GO) tool -modfile=$(CURDIR)/go.tools.mod
# Whose components: STACK=own, STACK=scheduler=own or SCHEDULER=own, KUBELET=own:worker2.
WHOSE    := $(if $(STACK),--stack $(STACK)) $(if $(SCHEDULER),--scheduler $(SCHEDULER)) \
	$(if $(CONTROLLERS),--controllers $(CONTROLLERS)) $(if $(KUBELET),--kubelet $(KUBELET))
RUN      := bin/dratest run --report-dir "$(ARTIFACTS)" $(if $(VERSION),--version $(VERSION)) $(WHOSE) $(if $(MATRIX),--matrix $(MATRIX)) $(RUN_ARGS)
# What compiles Kubernetes itself takes minutes and is left to its own targets.
OWN_UNIT  = $(shell cd implementation && $(GO) list ./... 2>/dev/null | grep -vE '/(cmd/(bench-scheduler|dra-kubelet|dra-scheduler)|bench|difftest)(/|$$)')

.DEFAULT_GOAL := help
.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: go
go:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or newer is needed to build dratest: install it from https://go.dev/dl"; exit 3; }

.PHONY: build
build: go ## Build bin/dratest and what it installs elsewhere
	@mkdir -p bin
	@echo "Building dratest (a minute or two the first time)."
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...

.PHONY: image
image: go ## Build bin/images.tar, the OCI images of dratest and its test driver, for runs in a cluster (REGISTRY=mirror.example.com/dra)
	@mkdir -p bin/image
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -ldflags "-s -w" -o bin/image/ ./cmd/dratest ./cmd/dra-sim
	bin/image/dratest images save bin/images.tar $(if $(REGISTRY),--image-registry $(REGISTRY))

.PHONY: in-cluster
in-cluster: image ## Run all cases in a Job of a cluster, with exactly the role that is printed for it, and fetch the report
	bin/image/dratest doctor --fix
	.ci/in-cluster $(or $(CLUSTER),dratest-job) "$(ARTIFACTS)/in-cluster" $(RUN_ARGS)

OWN = dra-scheduler dra-controller-manager dra-kubelet
.PHONY: $(OWN)
$(OWN): go # Build one of this project's components, for machines that run dratest without a checkout (minutes)
	@mkdir -p bin
	version=$$(cd implementation && $(GO) list -m -f '{{.Version}}' k8s.io/kubernetes)$(if $(filter dra-kubelet,$@),+dratest) && cd implementation && \
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$$version -X k8s.io/client-go/pkg/version.gitVersion=$$version" -o ../bin/ ./cmd/$@
	for file in config manifest; do [ ! -e implementation/cmd/$@/$$file.yaml ] || cp implementation/cmd/$@/$$file.yaml bin/$@.yaml; done

.PHONY: own
own: $(OWN) ## Build bin/dra-*, for machines that run dratest without a checkout (minutes)

.PHONY: e2e
e2e: build ## Bring a real cluster up, run all cases, remove it (installs what is missing)
	bin/dratest doctor --fix
	$(RUN)

.PHONY: deflake
deflake: build ## Run all cases RUNS times on one cluster, stop at the first failure
	bin/dratest doctor --fix
	$(RUN) --repeat $(RUNS)

.PHONY: mutants
mutants: build ## Break own components, the API server and the test driver in many ways and check that cases notice, on control planes and on kind (5 hours; PROVE_ARGS="--jobs 2 --resume")
	bin/dratest doctor --fix
	.ci/mutants "$(ARTIFACTS)/mutants" $(if $(VERSION),--version $(VERSION)) $(PROVE_ARGS)

.PHONY: access-proof
access-proof: build ## Check that the role of a run in a cluster is the least one that works (10 minutes)
	bin/dratest doctor --fix
	bin/dratest prove access --report-dir "$(ARTIFACTS)/access" $(if $(VERSION),--version $(VERSION)) $(PROVE_ARGS)

.PHONY: certify-mutants
certify-mutants: build ## Give the test driver bugs, most of which published drivers had, and check that "dratest sanity" names them (4 minutes)
	bin/dratest prove bugs --report-dir "$(ARTIFACTS)/certify-mutants" $(PROVE_ARGS)

.PHONY: certify-life-mutants
certify-life-mutants: build ## Give dra-sim, as a vendor ships it, bugs of its life and check that "dratest certify" names them (35 minutes)
	bin/dratest doctor --fix
	bin/dratest prove life --report-dir "$(ARTIFACTS)/certify-life-mutants" $(if $(VERSION),--version $(VERSION)) $(PROVE_ARGS)

.PHONY: certify
certify: build ## Certify a driver in a cluster of its own: upstream's test driver, or DRIVER=dra-sim
	bin/dratest doctor --fix
	bin/dratest cluster create --name $(or $(CLUSTER),certify) $(if $(VERSION),--version $(VERSION))
	PATH="$(CURDIR)/bin:$$PATH" bin/dratest certify -f drivers/declarations/$(DRIVER)/driver.yaml --name $(or $(CLUSTER),certify) --install --disruptive --report-dir "$(ARTIFACTS)/certify" $(RUN_ARGS); \
	code=$$?; bin/dratest cluster delete $(or $(CLUSTER),certify); exit $$code

.PHONY: soak
soak: build ## Let 200 pods come and go on a real cluster and check allocations (SOAK_ARGS="--kill scheduler")
	bin/dratest doctor --fix
	bin/dratest soak --report-dir "$(ARTIFACTS)" $(if $(VERSION),--version $(VERSION)) $(SOAK_ARGS)

.PHONY: upgrade
upgrade: build ## Take a cluster with running claims to the newest Kubernetes and back (UPGRADE_ARGS="--from 1.34")
	bin/dratest doctor --fix
	bin/dratest upgrade --back --report-dir "$(ARTIFACTS)/upgrade" $(UPGRADE_ARGS)

.PHONY: upgrade-gates
upgrade-gates: build ## Switch DRA's feature gates off and on under running claims, and tabulate what came out (FROM=1.36 PROVE_ARGS="--shard 1/2")
	bin/dratest doctor --fix
	bin/dratest upgrade gates --from $(FROM) --report-dir "$(ARTIFACTS)/upgrade-gates" $(PROVE_ARGS)

.PHONY: upgrade-skew
upgrade-skew: build ## Run all cases on kubelets of the three versions before the control plane's
	bin/dratest doctor --fix
	bin/dratest upgrade skew --report-dir "$(ARTIFACTS)/upgrade-skew" $(PROVE_ARGS)

.PHONY: upgrade-proof
upgrade-proof: build ## Break components of the new version and check that an upgrade notices
	bin/dratest doctor --fix
	bin/dratest prove upgrade --report-dir "$(ARTIFACTS)/upgrade-proof" $(PROVE_ARGS)

.PHONY: soak-proof
soak-proof: build ## Spoil a cluster in every way and check that a soak notices
	bin/dratest doctor --fix
	bin/dratest prove soak --report-dir "$(ARTIFACTS)/soak-proof" $(if $(VERSION),--version $(VERSION)) $(WHOSE) $(PROVE_ARGS)

.PHONY: perf
perf: build ## Measure own components against stock ones in turns, and judge the ratios by thresholds (9 minutes; PERF_ARGS="--control")
	bin/dratest perf run --report-dir "$(ARTIFACTS)/perf" $(if $(VERSION),--version $(VERSION)) $(PERF_ARGS)

.PHONY: thresholds-proof
thresholds-proof: build ## Check that perf tells a scheduler that costs a fifth more, and two of the same never (2 hours and a half)
	bin/dratest prove thresholds --report-dir "$(ARTIFACTS)/thresholds-proof" $(if $(VERSION),--version $(VERSION)) $(PROVE_ARGS)

.PHONY: perf-full
perf-full: build ## Like perf, and how all grows, to 5000 nodes and 10000 running pods, and restarts among these (4 hours)
	bin/dratest perf run --full --report-dir "$(ARTIFACTS)/perf-full" $(if $(VERSION),--version $(VERSION)) $(PERF_ARGS)

.PHONY: bench-scheduler
bench-scheduler: go ## Compare own scheduler plugin with upstream's (WORKLOADS=regexp REPEAT=n; 5 minutes a repetition, more than two hours with WORKLOADS=. for all)
	@mkdir -p bin "$(ARTIFACTS)"
	@echo "Building etcd and scheduler_perf (several minutes the first time)."
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -mod=readonly -modfile=clusters/images/modules/etcd.mod -o bin/etcd go.etcd.io/etcd/server/v3
	@cd implementation && $(GO) test -c -o ../bin/bench-scheduler.test ./bench/schedulerperf/harness
	@cd implementation && $(GO) build -o ../bin/bench-scheduler ./cmd/bench-scheduler
	@bin/bench-scheduler -artifacts "$(ARTIFACTS)/bench-scheduler" -workloads '$(WORKLOADS)' -repeat $(REPEAT) \
		-kubernetes "$$(cd implementation && $(GO) list -m -f '{{.Dir}}' k8s.io/kubernetes)" $(BENCH_ARGS)

.PHONY: bench-node
bench-node: build ## Compare own kubelet and controllers with stock ones on a real cluster (an hour; BENCH_ARGS=-control for the noise, twice that)
	bin/dratest doctor --fix
	bin/bench-node -out "$(ARTIFACTS)/bench-node/results.json" $(BENCH_ARGS)

.PHONY: race-fabric
race-fabric: build ## Have two clusters race for the last device of a fabric, 100 times (half an hour; RACE_ARGS="-rounds 10 -scheduler own")
	bin/race-fabric $(RACE_ARGS)

.PHONY: bench-fabric
bench-fabric: build ## Count what the controller of a fabric writes for 1000 devices on 500 nodes (5 minutes; BENCH_ARGS="-scheduler own")
	bin/bench-fabric $(BENCH_ARGS)

.PHONY: bench-classic
bench-classic: build ## Hold classic DRA to its numbers: single pods, 1000 pods on 500 nodes, requests at rest (15 minutes; BENCH_ARGS="-rounds 1")
	bin/bench-classic $(BENCH_ARGS)

.PHONY: bench-prebind
bench-prebind: build ## See whether events pile up in schedulers while 1000 pods wait in PreBind (10 minutes)
	bin/bench-prebind $(BENCH_ARGS)

.PHONY: compare-kubelets
compare-kubelets: build ## Compare what dra-kubelet and the stock kubelet say while they run on a real cluster (CLUSTER=name; 2 minutes)
	bin/dratest doctor --fix
	bin/compare-kubelets $(if $(CLUSTER),-name $(CLUSTER)) -logs "$(ARTIFACTS)/compare-kubelets"

.PHONY: test
test: go ## Run the unit tests with the race detector
	@command -v $${CC:-gcc} >/dev/null || { echo "Go's race detector needs a C compiler: install gcc (Debian, Ubuntu: apt-get install gcc)"; exit 3; }
	@echo "Running the unit tests with the race detector (on two cores 25 minutes the first time, then a few)."
	@$(GO) test -race ./...
	@cd implementation && $(GO) test -race $(OWN_UNIT)
	@cd examples/vendor && $(GO) vet ./... && $(GO) test ./...

.PHONY: test-web
test-web: go ## Test report.html in headless Chromium, with axe-core (SCREENSHOTS=dir keeps pictures)
	@.ci/browser
	cd reports/render/html/web && SCREENSHOTS="$(SCREENSHOTS)" $(GO) test -timeout 10m -count 1 ./...

.PHONY: test-own
test-own: go ## Test what is built with Kubernetes' own code: the commands in implementation/cmd (minutes)
	cd implementation && $(GO) test ./cmd/...

.PHONY: difftest
difftest: go ## Compare our allocator with upstream's on N random problems (SEED=, FIRST=), and our DRA manager's files with the kubelet's
	cd implementation && $(GO) test ./difftest/kubelet
	cd implementation && $(GO) run ./difftest/cmd/difftest -seed $(SEED) -first $(FIRST) -n $(N) -dir difftest/testdata

.PHONY: bench-allocator
bench-allocator: go ## Measure our allocator and upstream's on problems that are hard for a search
	cd implementation && $(GO) run ./bench/allocator

# What asks karpenter is a module of its own, with the Go that karpenter wants.
KARPENTER = cd implementation/bench/karpenter && GOTOOLCHAIN=go1.26.9
.PHONY: bench-karpenter
bench-karpenter: go ## Hold our allocator and what-if against karpenter's (15 minutes, as many to build the first time; BENCH_ARGS="-differences 10000" looks for pods that only karpenter places)
	$(KARPENTER) $(GO) run . $(BENCH_ARGS)

.PHONY: test-karpenter
test-karpenter: go ## Test what asks karpenter (minutes to build)
	$(KARPENTER) $(GO) test ./...

.PHONY: lint
lint: ## Run the linters
	$(TOOL) golangci-lint run ./...
	cd implementation && $(TOOL) golangci-lint run ./...
	cd reports/render/html/web && $(TOOL) golangci-lint run ./...

.PHONY: add-version
add-version: go ## Add a Kubernetes release to those that node images are built of (V=v1.38.0)
	@$(GO) run ./clusters/images/addversion $(V)

.PHONY: registry-proof
registry-proof: build ## Run core cases on a node image from a registry on loopback, and check that nothing is compiled
	bin/dratest doctor --fix
	.ci/registry-proof "$(ARTIFACTS)/registry-proof" --focus '^core/'

.PHONY: generate
generate: ## Write the generated files anew (catalogue, known issues, open requirements, JSON schema, definitions of classic DRA)
	$(GO) test ./suites/catalogue -update
	$(GO) test ./reports/schema -update
	cd implementation && $(CONTROLLER_GEN) output:crd:dir=cmd/dra-classic-driver/crd

.PHONY: verify
verify: lint ## Check everything that needs no cluster: lint, tidy, generated files, arrows, sizes, vulnerabilities
	$(GO) mod tidy -diff
	$(GO) mod verify
	cd implementation && $(GO) mod tidy -diff && $(GO) mod verify
	cd reports/render/html/web && $(GO) mod tidy -diff && $(GO) mod verify
	cd examples/vendor && $(GO) mod tidy -diff
	$(KARPENTER) $(GO) mod tidy -diff && GOTOOLCHAIN=go1.26.9 $(GO) mod verify
	$(GO) test . ./suites/catalogue
	$(GO) test ./suites/catalogue -run TestKnownIssuesAreNotDue -today "$$(date -u +%F)"
	cd implementation && $(GO) test ./cmd/dra-kubelet/upstream
	cd implementation && new=$$(mktemp -d) && $(CONTROLLER_GEN) output:dir="$$new" && diff -r -x '*.go' cmd/dra-classic-driver/crd "$$new" && \
	cmp classic/api/v1alpha1/zz_generated.deepcopy.go "$$new/zz_generated.deepcopy.go" && rm -r "$$new"
	.ci/vulncheck

.PHONY: release
release: go ## Build the archives, checksums and notes of the tag on HEAD into dist/ (VERSION=v0.1.0)
	.ci/release "$(VERSION)" dist

.PHONY: clean
clean: ## Remove clusters that dratest made, and build output
	-bin/dratest cluster delete --all
	rm -rf bin dist _artifacts
