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

package generate

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/problem"
)

func TestSameSeedSameProblem(t *testing.T) {
	for number := range uint64(100) {
		a, b := Problem(7, number), Problem(7, number)
		first, err := a.YAML()
		if err != nil {
			t.Fatal(err)
		}
		second, err := b.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Fatalf("problem %d differs from itself:\n%s\n---\n%s", number, first, second)
		}
		copied, err := a.Copy().YAML()
		if err != nil || string(copied) != string(first) {
			t.Fatalf("copy of problem %d differs: %v\n%s", number, err, copied)
		}
		parsed, err := problem.Parse(first)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parsed.YAML(); err != nil || string(again) != string(first) {
			t.Fatalf("problem %d is another one after parsing: %v\n%s", number, err, again)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	a, errA := Problem(1, 0).YAML()
	b, errB := Problem(2, 0).YAML()
	if errA != nil || errB != nil || string(a) == string(b) {
		t.Errorf("seeds 1 and 2 begin with the same problem: %v %v", errA, errB)
	}
}

// The API server ensures unique names.
func TestNamesAreUnique(t *testing.T) {
	for number := range uint64(5000) {
		p := Problem(3, number)
		seen := map[string]bool{}
		for i := range p.Slices {
			if name := p.Slices[i].Name; seen[name] {
				t.Fatalf("problem %d has two slices %s", number, name)
			} else {
				seen[name] = true
			}
		}
		for _, claim := range slices.Concat(p.Claims, p.Allocated) {
			if seen[claim.Name] {
				t.Fatalf("problem %d has two objects %s", number, claim.Name)
			}
			seen[claim.Name] = true
		}
		if p.History == nil {
			continue
		}
		for _, claim := range p.History.Released {
			if seen[claim.Name] {
				t.Fatalf("problem %d has two objects %s", number, claim.Name)
			}
			seen[claim.Name] = true
		}
	}
}

// Bugs are in combinations of features.
func TestStoredCoversPairs(t *testing.T) {
	c := problem.NewCoverage()
	for number := range uint64(5000) {
		c.Add(Stored(1, number, nil))
	}
	pairs, triples := c.Shares()
	if pairs < 0.98 || triples < 0.9 {
		t.Errorf("%s", c)
	}
}

// Features missing in the cluster must not be used.
func TestStoredWithoutFeatures(t *testing.T) {
	unused := map[string]bool{"admin access": true, "several allocations": true, "taints": true, "shared counters": true, "first available": true, "bindsToNode": true, "binding conditions": true, "taint rules": true, "extended resources": true}
	for number := range uint64(1000) {
		p := Stored(1, number, problem.ClusterGates())
		for _, f := range slices.Concat(problem.AllFeatures(), problem.PodFeatures()) {
			if unused[f.Name] && f.Used(p) {
				t.Fatalf("problem %d uses %s", number, f.Name)
			}
		}
	}
}
