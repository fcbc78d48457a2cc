package soak

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
)

// uses remembers which pods have run, and the claims that they had.
type uses struct {
	mutex sync.Mutex
	// claims are by name; no name is used twice.
	claims map[string]types.UID
	pods   map[types.UID]*corev1.Pod
}

func newUses() *uses {
	return &uses{claims: map[string]types.UID{}, pods: map[types.UID]*corev1.Pod{}}
}

func (u *uses) seeClaims(state map[types.UID]*resourceapi.ResourceClaim) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for uid, claim := range state {
		u.claims[claim.Name] = uid
	}
}

func (u *uses) seePods(state map[types.UID]*corev1.Pod) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for uid, pod := range state {
		// A pod that has ended may get another claim when that which it ran with is
		// deleted: what it had when it ran is in the first state.
		if u.pods[uid] == nil && (pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded) {
			u.pods[uid] = pod
		}
	}
}

// list returns all uses of claims that were seen.
func (u *uses) list() []audit.Use {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	var all []audit.Use
	for _, pod := range u.pods {
		names, _ := audit.ClaimNames(pod)
		for _, name := range names {
			if uid, ok := u.claims[name]; ok {
				all = append(all, audit.Use{Pod: pod, Claim: uid})
			}
		}
	}
	return all
}
