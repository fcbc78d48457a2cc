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
		short: "Break the test driver, this project's components and the API server in many ways and check that cases fail (5 hours)",
		long: `Break the test driver, this project's scheduler, controllers and kubelets, what
cases start, and the API server ("dratest list --mutants -o markdown") in many ways, one after the other on one cluster, and check that cases fail. Of the driver's
mutants each case must notice those that it says it catches; of a component's mutant one case must notice it that claims the
requirement which the mutant breaks, and which passes without it: those that have noticed
nothing before all run, then the others until one notices.

The components' mutants need a checkout and Go, and those components from this project, as
all are by default where such mutants are among the trials. With --provider controlplane there are processes in
place of a kind cluster, for cases that need no kubelet.

The API server's mutants, api-*, are made by a proxy before it, on any cluster and any
stack. Some of them are for what scheduler or controllers are told, and write; these need
--provider controlplane.

No one cluster has what all cases need. --rest-of does what proofs on other clusters
leave: mutants that these do not kill, and those that a case must notice which has
noticed none in them. ".ci/mutants DIRECTORY" does so part by part.

With --changed-since only those mutants are tried that change a file which has changed in
the checkout since that commit, or that a case must notice which such a file has; those of
what changed last come first.

The last line also counts the cases that have noticed none of these mutants.`,
		example: `  dratest prove mutants
  dratest prove mutants --resume
  dratest prove mutants --only 'kubelet-*' --shard 1/3
  dratest prove mutants --provider controlplane --stack stock --only 'api-*'
  dratest prove mutants --provider controlplane --feature-gates DRAFractionalCapacityRange=true --only scheduler-capacity-whole-numbers
  dratest prove mutants --provider controlplane --runtime-config resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true --only 'api-conversion-*'
  dratest prove mutants --rest-of _artifacts/control-plane --report-dir _artifacts/kind
  dratest prove mutants --provider controlplane --changed-since main --only 'api-*,scheduler-*,controllers-*'
  dratest prove mutants --only driver-prepare-hang,driver-unprepare-hang`,
	},
	{
		name: "access", cluster: "dratest-access", flags: (*proveFlags).addAccess, start: (*proveFlags).access,
		short: "Check that the role of a run in a cluster is the least one that works (10 minutes)",
		long: `Check that the role which "dratest manifests" prints is the least one that works: all
cases pass with it, each of its rights is taken by some request, and without each of
them, one after the other, a run names the one that it lacks.`,
	},
	{
		name: "bugs", cluster: "dratest-bugs", flags: (*proveFlags).addVersion, start: (*proveFlags).bugs,
		short: "Give the test driver bugs, most of which published drivers had, and check that sanity names them (4 minutes)",
		long: `Give the test driver bugs, most of which published drivers had ("dra-sim driver --help"),
one after the other, and check that the sanity check that is about the bug fails,
and passes without it. The drivers are processes of this machine with an API server
and without a kubelet.`,
	},
	{
		name: "life", cluster: "dratest-life", flags: (*proveFlags).addLife, start: (*proveFlags).life,
		short: "Give dra-sim, as a vendor ships it, bugs of its life and check that \"dratest certify\" names them (35 minutes)",
		long: `Give dra-sim, installed as a vendor would ship it in a kind cluster, the bugs that
show only with a kubelet and a DaemonSet, one after the other, and check that the
cases of life that are about them fail, and pass without.`,
	},
	{
		name: "soak", cluster: "dratest-soak-proof", flags: (*proveFlags).addCluster, start: (*proveFlags).soak,
		short: "Spoil a cluster under load in every way and check that a soak says which rule was violated",
		long: `Spoil a cluster under load in every way, one after the other, and check that a soak
says which rule was violated. Only objects and claims of the soak's own namespace
are spoiled, also on a cluster of --kubeconfig.`,
	},
	{
		name: "upgrade", cluster: "dratest-upgrade-proof", flags: (*proveFlags).addUpgrade, start: (*proveFlags).upgrade, log: true,
		short: "Break components of the new version right before their step and check that an upgrade notices",
	},
	{
		name: "thresholds", cluster: "dratest-thresholds", flags: (*proveFlags).addThresholds, start: (*proveFlags).thresholds,
		short: "Check that perf run tells a scheduler that costs a fifth more from one that does not, and two of the same never (2 hours and a half)",
		long: `Measure this project's scheduler against itself with "dratest perf run", again and
again: as it is, with a plugin that has the scheduler cost a fifth more CPU time by pod,
and beside as many busy programs as there are processors. A limit of 1.1 times the CPU time
must be met, missed, and never missed. It needs a checkout and Go.`,
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
		short: "Switch each of DRA's feature gates and back under running claims, and tabulate the results",
		long: `Switch each of DRA's feature gates off and on again, and on and off again, under
running claims, each time on a cluster of its own. The table is in gates.md of the
report directory, the results are in its prove.json: see "dratest prove" for --resume
and --shard.`,
	},
	{
		name: "skew", cluster: "dratest-skew", flags: (*proveFlags).addUpgrade, start: (*proveFlags).skew, log: true,
		short: "Run all cases on kubelets of the three versions before the control plane's, alone and together",
	},
}
