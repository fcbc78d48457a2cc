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
	"errors"
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/client"
	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

// Name is the plugin name in configurations, metrics and messages.
const Name = "ClassicDRA"

// Config configures the plugin for a scheduler.
type Config struct {
	// Connect makes a client for classic DRA's objects; nil means client.New.
	Connect func(*rest.Config) (client.Interface, error)
	// Random chooses the claims to deallocate; nil means an unpredictable source.
	Random rand.Source
}

// Factory makes the plugin, once for each profile that enables it. The profiles negotiate with the
// same drivers, so they share state.
type Factory struct {
	config  Config
	cluster extension.Shared[cluster]
}

// NewFactory returns a factory. Its New is for app.WithPlugin(Name, …).
func NewFactory(config Config) *Factory {
	if config.Connect == nil {
		config.Connect = client.New
	}
	if config.Random == nil {
		config.Random = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	return &Factory{config: config}
}

// Plugin is the plugin of one profile. See the files named after extension points.
type Plugin struct {
	handle  fwk.Handle
	client  kubernetes.Interface
	cluster *cluster
}

var (
	_ fwk.EnqueueExtensions = &Plugin{}
	_ fwk.PreFilterPlugin   = &Plugin{}
	_ fwk.FilterPlugin      = &Plugin{}
	_ fwk.PostFilterPlugin  = &Plugin{}
	_ fwk.PreScorePlugin    = &Plugin{}
	_ fwk.ScorePlugin       = &Plugin{}
	_ fwk.ReservePlugin     = &Plugin{}
	_ fwk.PreBindPlugin     = &Plugin{}
	_ fwk.PostBindPlugin    = &Plugin{}
	_ fwk.SignPlugin        = &Plugin{}
)

// New makes the plugin for a profile; it takes no arguments. It works until ctx ends.
func (f *Factory) New(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	if unknown, ok := args.(*runtime.Unknown); args != nil && (!ok || len(unknown.Raw) > 0) {
		return nil, errors.New("the plugin " + Name + " takes no arguments")
	}
	cluster, err := f.clusterOf(ctx, handle)
	if err != nil {
		return nil, fmt.Errorf("prepare plugin %s: %w", Name, err)
	}
	return &Plugin{handle: handle, client: handle.ClientSet(), cluster: cluster}, nil
}

// clusterOf returns the state shared by a scheduler's profiles, which share an informer factory.
func (f *Factory) clusterOf(ctx context.Context, handle fwk.Handle) (*cluster, error) {
	factory := handle.SharedInformerFactory()
	return f.cluster.Of(factory, func() (*cluster, error) {
		classic, err := f.config.Connect(handle.KubeConfig())
		if err != nil {
			return nil, err
		}
		// All profiles share one queue, so any handle works.
		return follow(ctx, classic, factory, handle.SharedDRAManager(), rand.New(f.config.Random), func(pods map[string]*v1.Pod) {
			handle.Activate(klog.FromContext(ctx), pods)
		})
	})
}

// Name returns Name.
func (pl *Plugin) Name() string { return Name }

// SignPod excludes pods with claims from batches: a node fitting one pod may not fit an identical
// one.
func (pl *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if len(pod.Spec.ResourceClaims) > 0 {
		return nil, fwk.NewStatus(fwk.Unschedulable, "pods with resource claims are not signable")
	}
	return nil, nil
}
