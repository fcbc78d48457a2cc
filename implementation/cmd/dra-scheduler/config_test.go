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

package main

import (
	"os"
	"slices"
	"testing"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/dra-conformance/dratest/implementation/classic/client"
	classicfake "github.com/dra-conformance/dratest/implementation/classic/client/fake"
	classic "github.com/dra-conformance/dratest/implementation/classic/scheduler"
	"github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

func loadConfig(t *testing.T) *config.KubeSchedulerConfiguration {
	t.Helper()
	return loadFile(t, "config.yaml")
}

func loadFile(t *testing.T, file string) *config.KubeSchedulerConfiguration {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return object.(*config.KubeSchedulerConfiguration)
}

// The shipped configuration replaces DynamicResources with the plugin and changes nothing else.
func TestConfigReplacesDynamicResources(t *testing.T) {
	cfg := loadConfig(t)
	client := fake.NewClientset()
	sched, err := kubescheduler.New(t.Context(), client, informers.NewSharedInformerFactory(client, 0), nil,
		profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})),
		kubescheduler.WithProfiles(cfg.Profiles...),
		kubescheduler.WithFrameworkOutOfTreeRegistry(runtime.Registry{
			scheduler.Name: plugin.Factory().New,
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	plugins := sched.Profiles["default-scheduler"].ListPlugins()
	names := func(set config.PluginSet) []string {
		var names []string
		for _, p := range set.Enabled {
			names = append(names, p.Name)
		}
		return names
	}
	if got, want := names(plugins.PostFilter), []string{scheduler.Name, "DefaultPreemption"}; !slices.Equal(got, want) {
		t.Errorf("PostFilter: %v, want %v", got, want)
	}
	for point, set := range map[string]config.PluginSet{
		"PreEnqueue": plugins.PreEnqueue, "PreFilter": plugins.PreFilter, "Filter": plugins.Filter, "PreScore": plugins.PreScore,
		"Score": plugins.Score, "Reserve": plugins.Reserve, "PreBind": plugins.PreBind,
	} {
		if !slices.Contains(names(set), scheduler.Name) || slices.Contains(names(set), "DynamicResources") {
			t.Errorf("%s: %v", point, names(set))
		}
	}
	for _, p := range plugins.Score.Enabled {
		if p.Name == scheduler.Name && p.Weight != 2 {
			t.Errorf("weight %d, want 2", p.Weight)
		}
	}
}

// ClassicDRA comes before DRA where DRA depends on its result, and after DRA where other plugins' reasons
// matter. Without it, nothing of classic DRA is read.
func TestConfigWithClassicDRA(t *testing.T) {
	objects, err := classicfake.New()
	if err != nil {
		t.Fatal(err)
	}
	connected := 0
	factory := classic.NewFactory(classic.Config{Connect: func(*rest.Config) (client.Interface, error) {
		connected++
		return objects, nil
	}})
	profiles := func(file string) *config.Plugins {
		fakeClient := fake.NewClientset()
		sched, err := kubescheduler.New(t.Context(), fakeClient, informers.NewSharedInformerFactory(fakeClient, 0), nil,
			profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: fakeClient.EventsV1()})),
			kubescheduler.WithProfiles(loadFile(t, file).Profiles...),
			kubescheduler.WithFrameworkOutOfTreeRegistry(runtime.Registry{scheduler.Name: plugin.Factory().New, classic.Name: factory.New}),
		)
		if err != nil {
			t.Fatal(err)
		}
		return sched.Profiles["default-scheduler"].ListPlugins()
	}
	if profiles("config.yaml"); connected != 0 {
		t.Error("a profile without ClassicDRA reads objects of classic DRA")
	}
	plugins := profiles("config-classic.yaml")
	index := func(set config.PluginSet, name string) int {
		return slices.IndexFunc(set.Enabled, func(p config.Plugin) bool { return p.Name == name })
	}
	for point, set := range map[string]config.PluginSet{"PreFilter": plugins.PreFilter, "Reserve": plugins.Reserve, "PreBind": plugins.PreBind} {
		if index(set, classic.Name) != 0 || index(set, scheduler.Name) < 0 {
			t.Errorf("%s: %v", point, set.Enabled)
		}
	}
	if last := len(plugins.Filter.Enabled) - 1; index(plugins.Filter, classic.Name) != last {
		t.Errorf("Filter: %v", plugins.Filter.Enabled)
	}
	if index(plugins.PostFilter, classic.Name) > index(plugins.PostFilter, "DefaultPreemption") || index(plugins.PostBind, classic.Name) < 0 {
		t.Errorf("PostFilter: %v, PostBind: %v", plugins.PostFilter.Enabled, plugins.PostBind.Enabled)
	}
}
