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

package nodeplan

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Config configures a State. The zero value works.
type Config struct {
	// NotFound is the backoff after NOT_FOUND. The default is one second, up to a minute.
	NotFound Backoff
	// OptionalNodeOperations is the feature gate DRAOptionalNodeOperations.
	OptionalNodeOperations bool
	// WorkloadResourceClaims is the feature gate DRAWorkloadResourceClaims: a claim reserved for a
	// pod's group, or generated for it, counts as the pod's.
	WorkloadResourceClaims bool
}

// State has the claims of a node. Pods and claims are added and removed when the checkpoint is
// written.
type State struct {
	config Config
	claims map[ClaimID]*claim
	// disk is the error of the last checkpoint write.
	disk error
}

// New starts from a checkpoint, which may be empty.
func New(config Config, checkpoint []ClaimInfo) *State {
	if config.NotFound == (Backoff{}) {
		config.NotFound = Backoff{First: time.Second, Max: time.Minute}
	}
	s := &State{config: config, claims: make(map[ClaimID]*claim, len(checkpoint))}
	for _, info := range checkpoint {
		c := restored(info)
		s.claims[c.id] = c
	}
	return s
}

// of returns the claims of a pod, sorted by name.
func (s *State) of(pod types.UID) []*claim {
	var claims []*claim
	for _, c := range s.claims {
		if c.pods.Has(pod) {
			claims = append(claims, c)
		}
	}
	slices.SortFunc(claims, func(a, b *claim) int { return compareIDs(a.id, b.id) })
	return claims
}

// Retry allows retrying a pod's failed steps. Call it when the kubelet syncs the pod again, so the
// kubelet sets the pace. The backoff after NOT_FOUND remains.
func (s *State) Retry(pod types.UID) {
	s.disk = nil
	for _, c := range s.of(pod) {
		c.forgive()
	}
}

func (c *claim) forgive() {
	for _, w := range c.work {
		w.err = nil
	}
}

// Distrust makes Next prepare a prepared claim again: its CDI devices do not resolve, for example
// because the files were lost in a reboot (kubernetes#141433). Use it with Desired.Restore.
func (s *State) Distrust(id ClaimID) {
	if c := s.claims[id]; c != nil {
		for _, w := range c.work {
			if w.progress == prepared {
				w.progress = unsure
			}
		}
	}
}

// MightNeedUnprepare reports whether a pod still has claims here. The pod must not be reported as
// terminated before.
func (s *State) MightNeedUnprepare(pod types.UID) bool { return len(s.of(pod)) > 0 }

// Has reports whether a pod has a claim here.
func (s *State) Has(pod types.UID, id ClaimID) bool {
	c, ok := s.claims[id]
	return ok && c.pods.Has(pod)
}

// Gone returns the inactive pods with claims, sorted: they have to be stopped.
func (s *State) Gone(active sets.Set[types.UID]) []types.UID {
	gone := sets.New[types.UID]()
	for _, c := range s.claims {
		gone = gone.Union(c.pods.Difference(active))
	}
	return sets.List(gone)
}

// Users returns the pods with claims using one of a driver's devices, sorted.
func (s *State) Users(driver string, has func(pool, device string) bool) []types.UID {
	users := sets.New[types.UID]()
	for _, c := range s.claims {
		w := c.work[driver]
		if w != nil && slices.ContainsFunc(w.state.Devices, func(d Device) bool { return has(d.PoolName, d.DeviceName) }) {
			users = users.Union(c.pods)
		}
	}
	return sets.List(users)
}

// AnyDriver is the key for all claims in the result of InUse.
const AnyDriver = "<any>"

// InUse counts the claims in use by driver and for AnyDriver. A driver without any can be removed
// from the node. Claims from before a restart count: their pods run.
func (s *State) InUse() map[string]int {
	counts := map[string]int{AnyDriver: 0}
	for _, c := range s.claims {
		if !c.used {
			continue
		}
		counts[AnyDriver]++
		for driver := range c.work {
			counts[driver]++
		}
	}
	return counts
}
