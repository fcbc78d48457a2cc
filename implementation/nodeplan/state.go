package nodeplan

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Config has the settings of a State. The zero value works.
type Config struct {
	// NotFound is how calls are repeated that were answered with NOT_FOUND.
	// The default is one second, up to a minute.
	NotFound Backoff
	// OptionalNodeOperations is the feature gate DRAOptionalNodeOperations.
	OptionalNodeOperations bool
	// WorkloadResourceClaims is the feature gate DRAWorkloadResourceClaims: that a claim is
	// reserved for a pod's group, or was made for it, counts as if it were for the pod.
	WorkloadResourceClaims bool
}

// State has the claims of a node. Memory follows the checkpoint: pods and claims come
// and go here when that is written.
type State struct {
	config Config
	claims map[ClaimID]*claim
	// disk is why the last checkpoint could not be written.
	disk error
}

// New starts with what a checkpoint has, which may be nothing.
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

// of returns the claims of a pod in order of their names.
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

// Retry lets the steps for a pod that have failed be tried again. It is called when
// the kubelet asks for the pod once more, so that the kubelet sets the pace. The wait
// after NOT_FOUND remains.
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

// Distrust makes Next prepare a claim again although it is prepared: its CDI devices
// do not resolve, for example because the files were lost in a reboot
// (kubernetes#141433). Ask with Desired.Restore.
func (s *State) Distrust(id ClaimID) {
	if c := s.claims[id]; c != nil {
		for _, w := range c.work {
			if w.progress == prepared {
				w.progress = unsure
			}
		}
	}
}

// MightNeedUnprepare says whether a pod still has claims here. It must not be reported
// as terminated until it has none.
func (s *State) MightNeedUnprepare(pod types.UID) bool { return len(s.of(pod)) > 0 }

// Has says whether a pod has a claim here.
func (s *State) Has(pod types.UID, id ClaimID) bool {
	c, ok := s.claims[id]
	return ok && c.pods.Has(pod)
}

// Gone returns the pods that have claims here and are not active, sorted: they are to
// be stopped.
func (s *State) Gone(active sets.Set[types.UID]) []types.UID {
	gone := sets.New[types.UID]()
	for _, c := range s.claims {
		gone = gone.Union(c.pods.Difference(active))
	}
	return sets.List(gone)
}

// Users returns the pods with claims that have one of a driver's devices, sorted.
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

// AnyDriver is the key for all claims in what InUse returns.
const AnyDriver = "<any>"

// InUse counts the claims that are in use, for each driver and for AnyDriver. A driver
// without any can be removed from the node. Claims from before a restart count: their
// pods run.
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
