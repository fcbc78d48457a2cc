package bugs

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// That each bug is noticed is shown by "dratest prove bugs".
func TestBugsAreTold(t *testing.T) {
	issue := regexp.MustCompile(`^([\w-]+/[\w-]+#\d+)?$`)
	names := map[string]bool{}
	for _, b := range All() {
		if names[b.Name] || !strings.HasSuffix(b.Story, ".") || !issue.MatchString(b.Issue) || b.Check == "" && len(b.Cases) == 0 {
			t.Errorf("bug %s is there twice, or not told: %q, %q, %q", b.Name, b.Story, b.Issue, b.Check)
		}
		if b.around == nil && b.inventory == nil && !b.process.breaks() {
			t.Errorf("bug %s breaks nothing", b.Name)
		}
		names[b.Name] = true
		if found, err := Find(b.Name); err != nil || found.Story != b.Story {
			t.Errorf("find %s: %v", b.Name, err)
		}
	}
	if _, err := Find("odd"); err == nil || !strings.Contains(err.Error(), "restored-prepare") {
		t.Errorf("an unknown bug: %v", err)
	}
}

// quiet is a driver that does nothing.
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

// A bug is about one thing: each claim still has exactly one result.
func TestBugsAnswerEachClaim(t *testing.T) {
	for _, b := range All() {
		place := Place{Driver: "d.example.com", CDIDir: t.TempDir(), StateDir: t.TempDir(), Release: 2}
		driver := b.Around(place, quiet{})
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
				t.Errorf("%s: %d results, %v", b.Name, len(results), err)
			}
		}
		if entries, err := os.ReadDir(place.CDIDir); err != nil || len(entries) > 0 {
			t.Errorf("%s: %d CDI files for claims without devices, %v", b.Name, len(entries), err)
		}
	}
}

func (p Process) breaks() bool {
	return p.Undivided || p.PublishesOnce || p.LeavesSockets || p.OneSocket || p.RemovesSlices || p.StaysUnhealthy ||
		p.getInfo != nil || p.answer != nil || p.beside != nil || len(p.options) > 0
}
