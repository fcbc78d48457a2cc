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

package perf

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	resourceapi "k8s.io/api/resource/v1"
)

const head = "apiVersion: dra-conformance.github.io/v1alpha1\nkind: "

func TestDefaultsGoTogether(t *testing.T) {
	workloads, err := DefaultWorkloads(true)
	if err != nil {
		t.Fatal(err)
	}
	thresholds, err := DefaultThresholds(true)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckThresholds(thresholds, workloads); err != nil {
		t.Error(err)
	}
	for _, w := range workloads {
		if got := len(w.slices("node", 1, w.Devices)[0].Spec.Devices); got != w.Devices {
			t.Errorf("%s: %d devices on a node, want %d", w.Name, got, w.Devices)
		}
	}
}

func TestBadWorkloads(t *testing.T) {
	for text, want := range map[string]string{
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, claim5: 1}]": `unknown field "claim5"`,
		"workloads: []": "there must be one",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, grows: {in: pods, sizes: [1, 2]}}]":                  `grows.in: "pods": must be nodes or running`,
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, grows: {in: nodes, sizes: [2, 1]}}]":                 "grows.sizes: [2 1]: must be two or more, from small to large",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, grows: {in: running, sizes: [1, 110]}}]":             "at size 110: running: 110 and the 1 of a round do not fit on 1 nodes",
		"workloads: [{name: A, nodes: 0, pods: 1, claims: none}]":                                                    "nodes: 0: must be between 1 and 10000",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: some}]":                                                    `claims: "some": must be none, template, shared or extended`,
		"workloads: [{name: a, nodes: 1, pods: 1, claims: template, devices: 500}]":                                  "devices: 500: must be between 1 and 128",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, restart: etcd}]":                                     `restart: "etcd": must be scheduler or controllers`,
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: shared, podsPerClaim: 1, restart: scheduler}]": "restart: says nothing",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: shared}]":                                      "podsPerClaim: 0: must be between 1 and 256",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: template, podsPerClaim: 2}]":                   "podsPerClaim: says nothing",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, mix: [{}]}]":                                         "mix: must be with claims: template or shared, and without claim",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: template, mix: [{}], claim: {}}]":              "mix: must be with claims: template or shared, and without claim",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: template, seed: 1}]":                           "seed: says nothing without mix",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: template, sharedCounters: [{}]}]":              "sharedCounters: must be with device.consumesCounters",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: template, bindAfter: 1s}]":                     "bindAfter: must be with device.bindingConditions",
		"workloads: [{name: a, nodes: 1, pods: 1, devices: 1, claims: extended, bindAfter: 1s}]":                     "bindAfter: must be with claims: template",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, late: true}]":                                        "late: must be with claims",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, changes: {nodes: 1001}}]":                            "changes.nodes: 1001: must be between 0 and 1000",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none, changes: {slices: 1}}]":                              "changes.slices: says nothing",
		"workloads: [{name: a, nodes: 1, pods: 1, claims: none},{name: a, nodes: 1, pods: 1, claims: none}]":         `another one named "a"`,
		"workloads: [{name: a, scenario: s, nodes: 0, pods: 1}]":                                                     "nodes: 0: must be between 1",
		"workloads: [{name: a, scenario: s, nodes: 1, pods: 1, claims: template}]":                                   "scenario: s takes nodes, devices and pods only",
	} {
		if _, err := DecodeWorkloads([]byte(head + "PerformanceWorkloads\n" + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	if _, err := DecodeWorkloads([]byte(head + "Pod\n")); err == nil || !strings.Contains(err.Error(), "must be dra-conformance.github.io/v1alpha1 and PerformanceWorkloads") {
		t.Errorf("another kind: %v", err)
	}
}

func TestBadThresholds(t *testing.T) {
	for text, want := range map[string]string{
		"{workload: a, metric: speed, atMost: 1}":                             `metric "speed" is unknown`,
		"{workload: a, metric: pods/s}":                                       "give atMost or atLeast",
		"{workload: a, metric: pods/s, atMost: 1, atLeast: 1}":                "give atMost or atLeast",
		"{workload: a, metric: pods/s, atMost: -1}":                           "give atMost or atLeast",
		"{workload: a, metric: pods/s, atMost: 1, because: b}":                `unknown field`,
		"{workload: a, metric: pods/s, atMost: 1, kind: best}":                `kind "best" is unknown`,
		"{workload: a, metric: pods/s, atLeast: 1, kind: growth}":             "growth is of all sizes together",
		"{workload: a, metric: pods/s, atMost: 1, kind: absolute, versus: b}": "versus says nothing with kind absolute",
		"{workload: a, metric: pods/s, atMost: 1, atLeast: 1, kind: limit}":   "give atMost or atLeast",
	} {
		if _, err := DecodeThresholds([]byte(head + "PerformanceThresholds\nthresholds:\n- " + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// A limit is missed with one value beyond it, on either side, and inconclusive without values.
func TestLimits(t *testing.T) {
	thresholds, err := DefaultThresholds(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, threshold := range thresholds {
		if threshold.Kind != Limit {
			continue
		}
		limit := threshold.AtMost + threshold.AtLeast
		beyond := limit + 0.01
		if threshold.AtLeast != 0 {
			beyond = limit - 0.01
		}
		judged := func(values ...float64) Judgement {
			var all []Round
			for i, value := range values {
				all = append(all, Round{Workload: threshold.Workload, Block: i / 2, Side: []Side{Candidate, Reference}[i%2], Values: map[Metric]float64{threshold.Metric: value}})
			}
			return Judge(threshold, all).Judgement
		}
		if one, all, first, second, none := judged(limit), judged(limit, limit, limit), judged(beyond, limit), judged(limit, beyond), judged(); one != Met || all != Met || first != Missed || second != Missed || none != Inconclusive {
			t.Errorf("%s: %s: got %s, %s, %s, %s and %s", threshold.Workload, threshold, one, all, first, second, none)
		}
	}
}

func TestThresholdsOfWhatIsNotThere(t *testing.T) {
	workloads := []Workload{{Name: "flat"}, {Name: "two", Grows: &Growing{In: Nodes, Sizes: []int{1, 2}}}, {Name: "three", Grows: &Growing{In: Nodes, Sizes: []int{1, 2, 3}}}}
	for want, threshold := range map[string]Threshold{
		`there is no workload "none"`:                    {Workload: "none"},
		`there is no workload "nobody"`:                  {Workload: "flat", Versus: "nobody"},
		`workload "three" has no size 0, it has [1 2 3]`: {Workload: "three"},
		`workload "flat" has no size 7, it has [0]`:      {Workload: "flat", Size: 7},
		`workload "two" does not grow over 3 sizes`:      {Workload: "two", Kind: Growth},
		`workload "flat" has no size 3, it has [0]`:      {Workload: "three", Size: 3, Versus: "flat"},
	} {
		if err := CheckThresholds([]Threshold{threshold}, workloads); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", threshold, err, want)
		}
	}
	if err := CheckThresholds([]Threshold{{Workload: "flat"}, {Workload: "three", Kind: Growth}, {Workload: "two", Size: 2}}, workloads); err != nil {
		t.Error(err)
	}
}

func TestSharedClaimsAreEnough(t *testing.T) {
	w := Workload{Pods: 9, Claims: SharedClaims, PodsPerClaim: 4}
	if got := len(w.sharedClaims()); got != 3 {
		t.Fatalf("%d claims, want 3", got)
	}
	if got := *w.pod("pod-", 8).Spec.ResourceClaims[0].ResourceClaimName; got != "claim-2" {
		t.Errorf("the last pod uses %s", got)
	}
}

// benchstat accepts the file.
func TestBenchFormat(t *testing.T) {
	r := Record{Kubernetes: "v1", Reference: "stock", Candidate: "own", Workloads: []Workload{{Name: "w", Pods: 7}}, Rounds: rounds(PodsPerSecond, 0, 1, 1)}
	text, err := r.bench()
	if err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(bytes.NewReader(text), "test")
	lines := 0
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("not a result: %v", reader.Result())
		}
		if value, ok := result.Value(string(PodsPerSecond)); !ok || value != 2 || result.Iters != 7 {
			t.Errorf("%s: %g pods/s of %d pods", result.Name, value, result.Iters)
		}
		lines++
	}
	if lines != 4 || reader.Err() != nil {
		t.Errorf("%d results, error %v", lines, reader.Err())
	}
}

// All rounds on both sides have the same claims, of all kinds.
func TestMixIsDrawn(t *testing.T) {
	w := Workload{Pods: 40, Claims: TemplateClaims, Seed: 1, Mix: make([]resourceapi.ResourceClaimSpec, 3)}
	counts := map[string]int{}
	for i := range w.Pods {
		first, again := w.pod("a-", i).Spec.ResourceClaims[0], w.pod("b-", i).Spec.ResourceClaims[0]
		if *first.ResourceClaimTemplateName != *again.ResourceClaimTemplateName {
			t.Fatalf("pod %d: %s and %s", i, *first.ResourceClaimTemplateName, *again.ResourceClaimTemplateName)
		}
		counts[*first.ResourceClaimTemplateName]++
	}
	for _, template := range w.templates() {
		if counts[template.Name] == 0 {
			t.Errorf("no pod has claims of template %s: %v", template.Name, counts)
		}
	}
}

func TestSlicesOfANode(t *testing.T) {
	w := Workload{SharedCounters: []resourceapi.CounterSet{{Name: "card"}}}
	all := w.slices("n", 3, 2)
	if len(all) != 2 || len(all[0].Spec.Devices) != 2 || len(all[1].Spec.SharedCounters) != 1 {
		t.Fatalf("got %+v", all)
	}
	for _, s := range all {
		if s.Spec.Pool != (resourceapi.ResourcePool{Name: "n", Generation: 3, ResourceSliceCount: 2}) {
			t.Errorf("slice %s is of pool %+v", s.Name, s.Spec.Pool)
		}
	}
}
