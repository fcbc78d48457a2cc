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

package soak

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
)

// uses records the pods that have run, with their claims.
type uses struct {
	mutex sync.Mutex
	// claims are by name; no name is used twice.
	claims map[string]types.UID
	// now are the claims of the last state.
	now  map[types.UID]bool
	pods map[types.UID]*corev1.Pod
}

func newUses() *uses {
	return &uses{claims: map[string]types.UID{}, pods: map[types.UID]*corev1.Pod{}}
}

func (u *uses) seeClaims(state map[types.UID]*resourceapi.ResourceClaim) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.now = map[types.UID]bool{}
	for uid, claim := range state {
		u.claims[claim.Name] = uid
		u.now[uid] = true
	}
}

// present returns the existing claims.
func (u *uses) present() map[types.UID]bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return u.now
}

// all returns all claims seen.
func (u *uses) all() []types.UID {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return slices.Sorted(maps.Values(u.claims))
}

// seePods records the current pods; listed is as in follow.
func (u *uses) seePods(state map[types.UID]*corev1.Pod, listed time.Time) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	for uid, pod := range state {
		// An ended pod may get another claim after its own is deleted: its first running state has the actual one. It was
		// missed if a list shows the pod ended.
		ran := pod.Status.Phase == corev1.PodRunning || pod.Status.Phase == corev1.PodSucceeded && listed.IsZero()
		if u.pods[uid] == nil && ran {
			u.pods[uid] = pod
		}
	}
}

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
