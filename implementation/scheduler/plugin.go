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

package scheduler

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/lru"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

// Name of the plugin in configurations, metrics and messages.
const Name = "DRA"

// Features lists the enabled features of the core and of the scheduler. Fields are named after their
// feature gates without the prefix DRA.
type Features struct {
	inventory.Features
	ExtendedResource       bool // KEP-5004
	SchedulerFilterTimeout bool // KEP-4381
}

// AllFeatures returns the defaults of Kubernetes v1.37.
func AllFeatures() Features {
	return Features{Features: inventory.AllFeatures(), ExtendedResource: true, SchedulerFilterTimeout: true}
}

// Config connects the plugin to its scheduler.
type Config struct {
	// Features is called for each new plugin, because feature gates are known only after flag parsing. nil
	// means AllFeatures.
	Features func() (Features, error)
	// Metrics may be nil.
	Metrics Metrics
}

// Factory creates one plugin for each profile of a scheduler. Profiles allocate the same devices, so
// they share their state.
type Factory struct {
	config  Config
	cluster extension.Shared[cluster]
}

// NewFactory returns a factory. Its New is for app.WithPlugin(Name, …).
func NewFactory(config Config) *Factory {
	if config.Features == nil {
		config.Features = func() (Features, error) { return AllFeatures(), nil }
	}
	if config.Metrics == nil {
		config.Metrics = noMetrics{}
	}
	return &Factory{config: config}
}

// Plugin is the plugin of one profile. Extension points are in files of their names.
type Plugin struct {
	args     DRAArgs
	features Features
	metrics  Metrics
	handle   fwk.Handle
	client   kubernetes.Interface
	dra      fwk.SharedDRAManager
	cluster  *cluster
	// shapes caches answers of the allocator; see answers.go.
	shapes *lru.Cache
	// leftovers are pending allocations with unknown outcome; see settle.go.
	leftovers workqueue.TypedRateLimitingInterface[leftover]
}

var (
	_ fwk.PreEnqueuePlugin  = &Plugin{}
	_ fwk.EnqueueExtensions = &Plugin{}
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.FilterPlugin      = &Plugin{}
	_ fwk.PostFilterPlugin  = &Plugin{}
	_ fwk.PreScorePlugin    = &Plugin{}
	_ fwk.ScorePlugin       = &Plugin{}
	_ fwk.ReservePlugin     = &Plugin{}
	_ fwk.PreBindPlugin     = &Plugin{}
	_ fwk.SignPlugin        = &Plugin{}
)

// New creates the plugin for a profile. It runs until ctx ends.
func (f *Factory) New(ctx context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := decodeArgs(obj)
	if err != nil {
		return nil, err
	}
	features, err := f.config.Features()
	if err != nil {
		return nil, fmt.Errorf("determine features of plugin %s: %w", Name, err)
	}
	cluster, err := f.clusterOf(handle, features)
	if err != nil {
		return nil, fmt.Errorf("prepare plugin %s: %w", Name, err)
	}
	pl := &Plugin{
		args: args, features: features, metrics: f.config.Metrics,
		handle: handle, client: handle.ClientSet(), dra: handle.SharedDRAManager(), cluster: cluster,
		shapes: newShapes(), leftovers: newLeftovers(),
	}
	go pl.settleLeftovers(ctx)
	return pl, nil
}

// clusterOf returns the state shared by profiles with the same informer factory, or in a simulation
// the same manager.
func (f *Factory) clusterOf(handle fwk.Handle, features Features) (*cluster, error) {
	if simulation, ok := handle.SharedDRAManager().(Simulation); ok {
		return f.cluster.Of(simulation, func() (*cluster, error) { return simulate(simulation, features.Features) })
	}
	factory := handle.SharedInformerFactory()
	return f.cluster.Of(factory, func() (*cluster, error) {
		// All profiles share one queue, so any handle works.
		return followCluster(factory, features.Features, func(pods map[string]*v1.Pod) { handle.Activate(klog.Background(), pods) })
	})
}

// Name returns Name.
func (pl *Plugin) Name() string { return Name }

// SignPod excludes pods with devices from batches: if the first pod of a shape took the device, a node
// may not fit the next one.
func (pl *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if len(pod.Spec.ResourceClaims) > 0 || len(pl.extendedResourcesOf(pod)) > 0 {
		return nil, fwk.NewStatus(fwk.Unschedulable, "pods with dra resource claims are not signable")
	}
	return nil, nil
}
