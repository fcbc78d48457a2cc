package scheduler

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// Simulation is a SharedDRAManager that has all objects itself, as that of an
// autoscaler has. A plugin whose handle has one goes by it in place of informers: it
// filters, scores, reserves and unreserves as ever, but writes nothing to an API
// server and wakes no pod.
//
// Lists of slices that it returns must never be modified.
type Simulation interface {
	fwk.SharedDRAManager
	// State says which devices the claims use. Reserve assumes allocations there
	// before it signals them to the manager.
	State() *state.State
	// Indexer has the claims by "namespace/name". The plugin adds an index.
	Indexer() cache.Indexer
}

func simulate(s Simulation, features inventory.Features) (*cluster, error) {
	c, err := newCluster(s.Indexer(), s.State(), features)
	if err != nil {
		return nil, err
	}
	c.simulated = true
	return c, nil
}

// activate makes the scheduler try pods again, by "namespace/name".
func (pl *Plugin) activate(ctx context.Context, pods map[string]*v1.Pod) {
	if !pl.cluster.simulated {
		pl.handle.Activate(klog.FromContext(ctx), pods)
	}
}
