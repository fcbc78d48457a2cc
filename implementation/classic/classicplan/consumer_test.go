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

package classicplan_test

import (
	"math/rand/v2"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

func TestUsable(t *testing.T) {
	const full = "the claim has as many users as it may have"
	tests := []struct {
		name   string
		claim  *resourceapi.ResourceClaim
		record *v1alpha1.ClassicClaim
		pod    types.UID
		want   string
	}{
		{"nobody has it", claim(limited(1)), record(), "p", ""},
		{"exclusive and taken", claim(limited(1), reserved(1)), record(), "p", full},
		{"exclusive and ours", claim(limited(1), reserved(1)), record(), "uid-0", ""},
		{"ours, although it is being deleted", claim(limited(1), reserved(1), deleting), record(), "uid-0", ""},
		{"room for one more", claim(limited(3), reserved(2)), record(), "p", ""},
		{"the third of two", claim(limited(2), reserved(2)), record(), "p", full},
		{"no limit", claim(limited(-1), reserved(255)), record(), "p", ""},
		{"as many as the API has room for", claim(limited(-1), reserved(256)), record(), "p", full},
		{"allocated by a scheduler", claim(allocated, reserved(9)), nil, "p", ""},
		{"to be deallocated", claim(limited(1)), record(unwanted), "p", "the claim is going to be deallocated"},
		{"an older claim was to be deallocated", claim(limited(1), func(c *resourceapi.ResourceClaim) { c.UID = "new" }), record(unwanted), "p", ""},
		{"being deleted", claim(limited(1), deleting), record(), "p", "the claim is being deleted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := classicplan.Usable(test.claim, test.record, test.pod)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestDeallocation(t *testing.T) {
	free := classicplan.Stuck{Claim: claim(allocated), Record: record()}
	mine := classicplan.Stuck{Claim: claim(allocated, reserved(1)), Record: record()}
	used := classicplan.Stuck{Claim: claim(allocated, reserved(2)), Record: record()}
	requested := classicplan.Stuck{Claim: claim(allocated), Record: record(unwanted)}
	structured := classicplan.Stuck{Claim: claim(allocated)}
	tests := []struct {
		name   string
		claims []classicplan.Stuck
		want   []int // all that may be chosen
	}{
		{"none", nil, []int{-1}},
		{"one", []classicplan.Stuck{free}, []int{0}},
		{"reserved for the pod itself", []classicplan.Stuck{used, mine}, []int{1}},
		{"reserved for others", []classicplan.Stuck{used}, []int{-1}},
		{"not allocated by a driver of ours", []classicplan.Stuck{structured}, []int{-1}},
		{"its driver would choose the same node again", []classicplan.Stuck{{Claim: claim(allocated), Record: record(immediate)}}, []int{-1}},
		{"one at a time", []classicplan.Stuck{free, requested}, []int{-1}},
		{"either", []classicplan.Stuck{free, used, mine}, []int{0, 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			random, seen := rand.New(rand.NewPCG(1, 2)), map[int]bool{}
			for range 50 {
				seen[classicplan.Deallocation(test.claims, "uid-0", random)] = true
			}
			if len(seen) != len(test.want) {
				t.Errorf("got %v, want %v", seen, test.want)
			}
			for _, i := range test.want {
				if !seen[i] {
					t.Errorf("%d was never chosen: %v", i, seen)
				}
			}
		})
	}
}
