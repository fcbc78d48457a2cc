# The newcomer's two commands are `make e2e` and `make test`. What is not here is a command of
# bin/dratest or a go command: see CONTRIBUTING.md and .ci/table.

GO        ?= go
# Functions aligned to 8 instead of 32 bytes make dratest 1.5 % smaller.
LDFLAGS   ?= -s -w -funcalign=1
# gRPC without the pages of golang.org/x/net/trace, which nothing serves.
TAGS      ?= grpcnotrace
ARTIFACTS ?= $(CURDIR)/_artifacts
VERSION   ?=
STACK     ?=
MATRIX    ?=
RUN_ARGS  ?=
DRIVER    ?= test-driver
CLUSTER   ?= certify
REGISTRY  ?=
N         ?= 20000
SEED      ?= 1
FIRST     ?= 0
SOAK_ARGS    ?=
UPGRADE_ARGS ?=
PERF_ARGS    ?=
PAGE         ?=
OWN          ?= $(CURDIR)/bin
SCREENSHOTS  ?=
SNAPSHOT     ?=

# What users run. The other programs of cmd measure: "go run ./cmd/NAME".
PROGRAMS   := ./cmd/dratest ./cmd/dra-sim ./cmd/dra-fabric ./cmd/dratest-crash ./cmd/dratest-oci-runtime
KUBERNETES := $(if $(VERSION),--version $(VERSION))
TOOL       := $(GO) tool -modfile=$(CURDIR)/go.tools.mod
# Generates deep copies and CustomResourceDefinitions of implementation/classic/api.
CONTROLLER_GEN := $(GO) run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0 object crd paths=./classic/api/...
# Generates the Go files of framework/agentapi/agent.proto: buf from the Go module proxy (a few
# minutes to compile the first time), with the plugins of buf.gen.yaml.
BUF         := $(GO) run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate framework/agentapi
# Checks the workflows. If shellcheck is installed, also their scripts.
ACTIONLINT  := $(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 .github/workflows/*.yaml docs/ci/github*.yaml
# The other packages compile Kubernetes, which takes minutes: CI tests them in a step of its own.
OWN_UNIT    = $(shell cd implementation && $(GO) list ./... 2>/dev/null | grep -vE '/(cmd/(bench-scheduler|dra-kubelet|dra-scheduler)|bench)(/|$$)')
# The comparison with karpenter is a module of its own, with the Go release that karpenter requires.
KARPENTER   = cd implementation/bench/karpenter && GOTOOLCHAIN=go1.26.9

.DEFAULT_GOAL := help
.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: go
go:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or newer is needed to build dratest: install it from https://go.dev/dl"; exit 3; }

##@ Build
.PHONY: build
build: go ## Build bin/dratest, and the programs it installs elsewhere
	@mkdir -p bin
	@echo "Building dratest (a minute or two the first time)."
	CGO_ENABLED=0 $(GO) build -trimpath -tags $(TAGS) -ldflags "$(LDFLAGS)" -o bin/ $(PROGRAMS)

.PHONY: image
image: go ## Build bin/images.tar, the OCI images of dratest and its test driver, for runs in a cluster (REGISTRY=mirror.example.com/dra)
	@mkdir -p bin/image
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -tags $(TAGS) -ldflags "$(LDFLAGS)" -o bin/image/ ./cmd/dratest ./cmd/dra-sim
	bin/image/dratest images save bin/images.tar $(if $(REGISTRY),--image-registry $(REGISTRY))

.PHONY: own
own: go ## Build bin/dra-*, this project's components (minutes; OWN=dir)
	@mkdir -p "$(OWN)"
	version=$$(cd implementation && $(GO) list -m -f '{{.Version}}' k8s.io/kubernetes) && cd implementation && \
	for name in dra-scheduler dra-controller-manager dra-kubelet dra-composable-controller dra-classic-driver dra-whatif; do \
		set=$$version; [ $$name != dra-kubelet ] || set=$$version+dratest; \
		CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$$set -X k8s.io/client-go/pkg/version.gitVersion=$$set" -o "$(OWN)/" ./cmd/$$name || exit; \
		for file in cmd/$$name/*.yaml; do \
			case $$file in */config.yaml | */manifest.yaml) cp $$file "$(OWN)/$$name.yaml" ;; *.yaml) [ ! -e $$file ] || cp $$file "$(OWN)/$$name-$${file##*/}" ;; esac; \
		done; \
	done

##@ Test without a cluster

.PHONY: test
test: go ## Run the unit tests with the race detector
	@command -v $${CC:-gcc} >/dev/null || { echo "Go's race detector needs a C compiler: install gcc (Debian, Ubuntu: apt-get install gcc)"; exit 3; }
	@echo "Running the unit tests with the race detector (on two cores 25 minutes the first time, then a few)."
	@$(GO) test -race -trimpath -timeout 20m ./...
	@cd implementation && $(GO) test -race -trimpath $(OWN_UNIT)
	@cd examples/vendor && $(GO) vet ./... && $(GO) test ./...

.PHONY: test-web
test-web: go ## Test report.html in headless Chromium, with axe-core (SCREENSHOTS=dir keeps pictures)
	@.ci/browser
	cd reports/render/html/web && SCREENSHOTS="$(SCREENSHOTS)" $(GO) test -timeout 10m -count 1 ./...

.PHONY: difftest
difftest: go ## Compare our allocator with upstream's on N random problems (SEED=, FIRST=), and our DRA manager's files with the kubelet's
	cd difftest && $(GO) test ./...
	cd difftest && $(GO) run ./cmd/difftest -seed $(SEED) -first $(FIRST) -n $(N) -dir testdata

.PHONY: lint
lint: ## Run the linters
	$(TOOL) golangci-lint run ./...
	cd implementation && $(TOOL) golangci-lint run ./...
	cd difftest && $(TOOL) golangci-lint run ./...
	cd reports/render/html/web && $(TOOL) golangci-lint run ./...
	$(ACTIONLINT)

.PHONY: verify
verify: lint build ## Check linters, workflows, tidy modules, generated files, import rules and sizes
	$(GO) mod tidy -diff
	cd implementation && $(GO) mod tidy -diff
	cd difftest && $(GO) mod tidy -diff
	cd reports/render/html/web && $(GO) mod tidy -diff
	cd examples/vendor && $(GO) mod tidy -diff
	$(KARPENTER) $(GO) mod tidy -diff
	@size=$$(wc -c < bin/dratest); [ "$$size" -lt 87000000 ] || { echo "bin/dratest has $$size bytes; the limit is 87 MB (ADR 28). Build it with LDFLAGS= and see what it links: go tool nm -size -sort size bin/dratest"; exit 1; }
	$(GO) test . ./suites/catalogue
	cd implementation && $(GO) test ./cmd/dra-kubelet/upstream
	cd implementation && new=$$(mktemp -d) && $(CONTROLLER_GEN) output:dir="$$new" && diff -r -x '*.go' cmd/dra-classic-driver/crd "$$new" && \
	cmp classic/api/v1alpha1/zz_generated.deepcopy.go "$$new/zz_generated.deepcopy.go" && rm -r "$$new"

##@ Test on real clusters

.PHONY: e2e
e2e: build ## Create a cluster, run all cases, delete it (installs what is missing; STACK=own for this project's components)
	bin/dratest doctor --fix
	bin/dratest run --report-dir "$(ARTIFACTS)" $(KUBERNETES) $(if $(STACK),--stack $(STACK)) $(if $(MATRIX),--matrix $(MATRIX)) $(RUN_ARGS)

.PHONY: certify
certify: build ## Certify a driver in a cluster of its own: upstream's test driver, or DRIVER=dra-sim
	bin/dratest doctor --fix
	bin/dratest cluster create --name $(CLUSTER) $(KUBERNETES)
	PATH="$(CURDIR)/bin:$$PATH" bin/dratest certify -f drivers/declarations/$(DRIVER)/driver.yaml --name $(CLUSTER) --install --disruptive --report-dir "$(ARTIFACTS)/certify" $(RUN_ARGS); \
	code=$$?; bin/dratest cluster delete $(CLUSTER); exit $$code

.PHONY: upgrade
upgrade: build ## Upgrade a cluster with running claims to the newest Kubernetes and downgrade it (UPGRADE_ARGS="--from 1.34")
	bin/dratest doctor --fix
	bin/dratest upgrade --back --report-dir "$(ARTIFACTS)/upgrade" $(UPGRADE_ARGS)

.PHONY: soak
soak: build ## Create and delete 200 pods on a real cluster and audit allocations (SOAK_ARGS="--kill scheduler")
	bin/dratest doctor --fix
	bin/dratest soak --report-dir "$(ARTIFACTS)" $(KUBERNETES) $(SOAK_ARGS)

.PHONY: perf
perf: build ## Compare the performance of our components with stock ones (9 minutes; PERF_ARGS="--control")
	bin/dratest perf run --report-dir "$(ARTIFACTS)/perf" $(KUBERNETES) $(PERF_ARGS)

.PHONY: docs-test
docs-test: build ## Run the commands of README.md and docs on real clusters (PAGE=getting-started for one page)
	bin/dratest doctor --fix
	$(GO) test . -run '^TestDocs$$/$(PAGE)' -v -timeout 0 -docs

##@ Maintain

.PHONY: generate
generate: ## Write the generated files (catalogue, known issues, counts of gaps, JSON schema, docs/cli, definitions of classic DRA, agent API)
	$(GO) test ./suites/catalogue -update
	$(GO) test ./reports/schema -update
	$(GO) test ./cmd/dratest -run TestCommandReference -update
	cd implementation && $(CONTROLLER_GEN) output:crd:dir=cmd/dra-classic-driver/crd
	$(BUF)

.PHONY: release
release: go ## Build a release of the tag on HEAD into dist/ (VERSION=v0.1.0), or of any checkout (SNAPSHOT=1)
	SNAPSHOT="$(SNAPSHOT)" .ci/release "$(VERSION)" dist
	.ci/release-check dist

.PHONY: clean
clean: ## Delete clusters that dratest created, and build output
	-bin/dratest cluster delete --all
	rm -rf bin dist _artifacts
