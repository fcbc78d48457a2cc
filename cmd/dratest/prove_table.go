/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

// proofs are the subcommands of "dratest prove".
//
//nolint:gochecknoglobals // a table
var proofs = []trials{
	{
		name: "mutants", cluster: "dratest-mutants", flags: (*proveFlags).addMutants, start: (*proveFlags).mutants,
		short: "Check that cases detect mutants of the driver, components and API server (5 hours)",
		long: `Inject mutants into the test driver, dratest's scheduler, controllers and kubelets,
the programs started by cases, and the API server, one after the other on one
cluster, and check that cases fail ("dratest list --mutants -o markdown").

A mutant of the driver must be detected by every case that claims to detect it. A
mutant of a component must be detected by one case that claims the violated
requirement and passes without the mutant. Cases that have not yet detected any mutant
all run first, then the others until one detects it.

Mutants of components need a checkout and Go, and the cluster must run dratest's own
components, the default if such mutants are selected. --provider controlplane uses
local processes instead of a kind cluster, for cases without a kubelet.

Mutants of the API server (api-*) are injected by a proxy in front of it, on any
cluster and stack. Some change the traffic of the scheduler or the controllers; these
need --provider controlplane.

No single cluster can run all cases. --rest-of runs what the proofs on other clusters
left: undetected mutants, and driver mutants for cases that have detected none.
".ci/mutants DIRECTORY" runs all parts.

--changed-since runs only mutants of files changed in the checkout since a commit, and
mutants that changed cases must detect, most recently changed first.

The last line also counts the cases that have not detected any of these mutants.`,
		example: `  dratest prove mutants
  dratest prove mutants --resume
  dratest prove mutants --only 'kubelet-*' --shard 1/3
  dratest prove mutants --provider controlplane --stack stock --only 'api-*'
  dratest prove mutants --provider controlplane --feature-gates DRAFractionalCapacityRange=true \
    --only scheduler-capacity-whole-numbers
  dratest prove mutants --provider controlplane --only 'api-conversion-*' \
    --runtime-config resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true
  dratest prove mutants --rest-of _artifacts/control-plane --report-dir _artifacts/kind
  dratest prove mutants --provider controlplane --changed-since main --only 'api-*,scheduler-*,controllers-*'
  dratest prove mutants --only driver-prepare-hang,driver-unprepare-hang`,
	},
	{
		name: "stock", cluster: "dratest-stock", flags: (*proveFlags).addStock, start: (*proveFlags).stock,
		short: "Check that cases detect published bugs in Kubernetes' own components (20 minutes)",
		long: `Build kube-scheduler, kube-controller-manager and kube-apiserver with published bugs
that their release does not have, turn them on one after the other on one control plane
of local processes, and check that a case for the violated requirement fails. The case
must pass without the bug. It needs Go.`,
		example: `  dratest prove stock
  dratest prove stock --only 'scheduler-stock-share-*'
  dratest prove stock --only 'apiserver-stock-*' --feature-gates DRADeviceTaints=false`,
	},
	{
		name: "combined", cluster: "dratest-combined", flags: (*proveFlags).addCombined, start: (*proveFlags).combined,
		short: "Count how many mechanical mutants of dratest's scheduler explore detects (2 hours)",
		long: `Generate mutants of dratest's scheduler from its source: drop one of several
conditions, a statement that reverts or updates state, or an iteration of a loop; turn
the rejection of one node into an error for all; compare numbers as text, or off by one.
The mutants are drawn at random by --seed, built into one scheduler, and turned on one
after the other on a control plane of local processes. For each, "dratest explore" runs
until its first finding.

The trial scheduler-none has no mutant and must have no finding. Undetected mutants may
be equivalent to the original code: review them. It needs a checkout of dratest and Go.`,
		example: `  dratest prove combined --count 20
  dratest prove combined --seed 7 --count 200 --problems 400 --resume`,
	},
	{
		name: "access", cluster: "dratest-access", flags: (*proveFlags).addAccess, start: (*proveFlags).access,
		short: "Check that the RBAC role of a run in a cluster is minimal (10 minutes)",
		long: `Check that the role printed by "dratest manifests" is minimal: all cases pass with it,
each rule is used by some request, and removing any single permission makes the run
fail with its name.`,
	},
	{
		name: "bugs", cluster: "dratest-bugs", flags: (*proveFlags).addBugs, start: (*proveFlags).bugs,
		short: "Check that sanity detects driver bugs, most of them of published drivers (4 minutes)",
		long: `Inject bugs into the test driver one after the other ("dra-sim driver --help"), most of
them from published drivers, and check that the sanity check for each bug fails with it
and passes without it. The drivers are local processes with an API server and without
a kubelet.`,
		example: `  dratest prove bugs
  dratest prove bugs --only 'config-*'
  dratest prove bugs --pairs 30 --seed 7`,
	},
	{
		name: "life", cluster: "dratest-life", flags: (*proveFlags).addLife, start: (*proveFlags).lifecycle,
		short: "Check that certify detects lifecycle bugs of a driver (35 minutes)",
		long: `Install dra-sim in a kind cluster as a vendor would ship it, inject bugs visible only
with a kubelet and a DaemonSet one after the other, and check that the lifecycle case
for the bug fails with it and passes without it.`,
	},
	{
		name: "soak", cluster: "dratest-soak-proof", flags: (*proveFlags).addCluster, start: (*proveFlags).soak,
		short: "Check that soak detects injected faults",
		long: `Inject faults into a cluster under load one after the other, and check that soak
reports the violated rule. Only objects in soak's own namespace are changed, also with
--kubeconfig.`,
	},
	{
		name: "upgrade", cluster: "dratest-upgrade-proof", flags: (*proveFlags).addMadeWithPods, start: (*proveFlags).upgrade, log: true,
		short: "Check that upgrade detects broken components of the new version",
	},
	{
		name: "thresholds", cluster: "dratest-thresholds", flags: (*proveFlags).addThresholds, start: (*proveFlags).thresholds,
		short: "Check that perf run detects a scheduler that costs 20% more (2.5 hours)",
		long: `Compare dratest's scheduler with itself by "dratest perf run", repeatedly: unchanged,
with a plugin that adds 20% CPU time per pod, and next to as many busy processes as
there are processors. A threshold of 1.1 times the CPU time must be met, missed and
not missed, respectively. It needs a checkout and Go.`,
		example: `  dratest prove thresholds
  dratest prove thresholds --only 'slower-*'`,
	},
}

// matrices are subcommands of "dratest upgrade".
//
//nolint:gochecknoglobals // a table
var matrices = []trials{
	{
		name: "gates", cluster: "dratest-gates", flags: (*proveFlags).addGates, start: (*proveFlags).gates, log: true,
		short: "Switch each DRA feature gate under running claims",
		long: `Switch each DRA feature gate off and on again, and on and off again, under running
claims, each time on a new cluster. gates.md in the report directory has the table,
prove.json the results. See "dratest prove --help" for --resume and --shard.`,
	},
	{
		name: "skew", cluster: "dratest-skew", flags: (*proveFlags).addMadeWithPods, start: (*proveFlags).skew, log: true,
		short: "Run all cases with kubelets up to three versions older than the control plane",
	},
}
