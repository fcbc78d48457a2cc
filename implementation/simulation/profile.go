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

package simulation

import (
	"context"
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// filters are kube-scheduler's filter plugins except for volumes, in order: the first rejection is the
// reason.
var filters = []string{ //nolint:gochecknoglobals // a table
	names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodeDeclaredFeatures, names.NodePorts,
	names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity, scheduler.Name,
}

// newFramework returns kube-scheduler's framework with the filters and this project's DRA plugin.
func newFramework(ctx context.Context, manager fwk.SharedDRAManager, nodes fwk.SharedLister, c Config) (framework.Framework, error) {
	defaults, err := latest.Default()
	if err != nil {
		return nil, fmt.Errorf("read the scheduler's default configuration: %w", err)
	}
	registry := plugins.NewInTreeRegistry()
	dras, err := c.features()
	if err != nil {
		return nil, err
	}
	// The process's gate is locked on, and would leave resources to DRA that this cluster's DRA does not
	// serve.
	gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	gates.EnableDRAExtendedResource = dras.ExtendedResource
	registry[names.NodeResourcesFit] = frameworkruntime.FactoryAdapter(gates, noderesources.NewFit)
	if err := registry.Register(scheduler.Name, scheduler.NewFactory(scheduler.Config{Features: c.features}).New); err != nil {
		return nil, fmt.Errorf("register plugin: %w", err)
	}
	dra := config.PluginSet{Enabled: []config.Plugin{{Name: scheduler.Name, Weight: 1}}}
	var all config.PluginSet
	for _, name := range filters {
		if name == names.NodeDeclaredFeatures && c.NoDeclaredFeatures {
			continue
		}
		all.Enabled = append(all.Enabled, config.Plugin{Name: name})
	}
	profile := &config.KubeSchedulerProfile{
		SchedulerName: "what-if",
		Plugins: &config.Plugins{
			QueueSort: config.PluginSet{Enabled: []config.Plugin{{Name: names.PrioritySort}}},
			PreFilter: preFilters(all), Filter: all, PostFilter: dra,
			PreScore: dra, Score: dra, Reserve: dra,
			Bind: config.PluginSet{Enabled: []config.Plugin{{Name: names.DefaultBinder}}},
		},
	}
	for _, c := range defaults.Profiles[0].PluginConfig {
		if _, ok := registry[c.Name]; ok {
			profile.PluginConfig = append(profile.PluginConfig, c)
		}
	}
	metrics.Register() // the framework needs metrics
	f, err := frameworkruntime.NewFramework(ctx, registry, profile,
		frameworkruntime.WithSharedDRAManager(manager),
		frameworkruntime.WithSnapshotSharedLister(nodes),
		// Never started: plugins find no namespaces and services.
		frameworkruntime.WithInformerFactory(informers.NewSharedInformerFactory(nil, 0)),
	)
	if err != nil {
		return nil, fmt.Errorf("make the scheduling framework: %w", err)
	}
	return f, nil
}

// preFilters are the filters with a PreFilter.
func preFilters(all config.PluginSet) config.PluginSet {
	var set config.PluginSet
	for _, p := range all.Enabled {
		switch p.Name {
		case names.NodeUnschedulable, names.NodeName, names.TaintToleration:
		default:
			set.Enabled = append(set.Enabled, p)
		}
	}
	return set
}
