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

package broken

import (
	"context"
	"os"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/sim/mutants"
)

func TestEachMutantBreaksADriver(t *testing.T) {
	for _, m := range mutants.All() {
		if d := drivers[m.ID]; d.around == nil && d.calls == nil && d.inventory == nil && !d.process.breaks() {
			t.Errorf("bug %s breaks nothing", m.ID)
		}
	}
	if len(drivers) != len(mutants.All()) {
		t.Errorf("%d drivers are broken, by %d mutants", len(drivers), len(mutants.All()))
	}
}

type quiet struct{ kubeletplugin.DRAPlugin }

func (quiet) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, c := range claims {
		results[c.UID] = kubeletplugin.PrepareResult{}
	}
	return results, nil
}

func (quiet) UnprepareResourceClaims(_ context.Context, claims []object) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, c := range claims {
		results[c.UID] = nil
	}
	return results, nil
}

// A bug affects one thing: each claim still has exactly one result.
func TestMutantsAnswerEachClaim(t *testing.T) {
	for _, m := range mutants.All() {
		place := Place{Driver: "d.example.com", CDIDir: t.TempDir(), StateDir: t.TempDir(), Release: 2}
		driver := By(m.ID).Around(place, quiet{})
		var claims []*resourceapi.ResourceClaim
		for _, uid := range []types.UID{"a", "b"} {
			claims = append(claims, &resourceapi.ResourceClaim{
				ObjectMeta: metav1.ObjectMeta{UID: uid},
				Status:     resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}},
			})
		}
		for range 2 {
			results, err := driver.PrepareResourceClaims(t.Context(), claims)
			if err != nil || len(results) != len(claims) {
				t.Errorf("%s: %d results, %v", m.ID, len(results), err)
			}
		}
		if entries, err := os.ReadDir(place.CDIDir); err != nil || len(entries) > 0 {
			t.Errorf("%s: %d CDI files for claims without devices, %v", m.ID, len(entries), err)
		}
	}
}

func (p Process) breaks() bool {
	return p.Undivided || p.PublishesOnce || p.LeavesSockets || p.OneSocket || p.RemovesSlices || p.StaysUnhealthy || p.OnePool || p.ForgetsUpdated || p.ForgetsCreated ||
		p.getInfo != nil || p.answer != nil || p.companion != nil || len(p.options) > 0
}
