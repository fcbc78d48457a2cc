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

package controlplane

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestCommands(t *testing.T) {
	for _, tc := range []struct {
		name    string
		config  clusters.Config
		of      string
		has     []string
		without string
	}{
		{"gates", clusters.Config{FeatureGates: map[string]bool{"B": false, "A": true}}, scheduler, []string{"--feature-gates=A=true,B=false"}, ""},
		{"APIs", clusters.Config{RuntimeConfig: map[string]string{"resource.k8s.io/v1beta1": "true"}}, apiserver, []string{"--runtime-config=resource.k8s.io/v1beta1=true"}, ""},
		{"arguments", clusters.Config{ComponentArgs: map[string]map[string]string{"controller-manager": {"--v": "9"}}}, controllerManager, []string{"--v=9"}, "--v=4"},
		{"arguments of own controllers", clusters.Config{
			Stack: clusters.Stack{Controllers: spec.Own}, ComponentArgs: map[string]map[string]string{"controller-manager": {"v": "9", "terminated-pod-gc-threshold": "1"}},
		}, ownControllers, []string{"--v=9", "--controllers=*"}, "terminated-pod"},
		{"own controllers", clusters.Config{Stack: clusters.Stack{Controllers: spec.Own}}, controllerManager, []string{"--controllers=*,-resourceclaim-controller,-device-taint-eviction-controller"}, ""},
		{"nodes are ready at once", clusters.Config{Nodes: 1}, apiserver, []string{"--disable-admission-plugins=TaintNodesByCondition"}, ""},
		{"no leases", clusters.Config{Nodes: 1}, kwok, []string{"--node-lease-duration-seconds=0", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake"}, ""},
		// kwok took a path with a comma for two files.
		{"a path that is a list", clusters.Config{Nodes: 1}, kwok, []string{"--config=stages.yaml"}, ""},
		{"no accounts without controllers", clusters.Config{Without: []string{"controllers"}}, apiserver, []string{"--disable-admission-plugins=ServiceAccount"}, ""},
		{"a file takes the place of arguments", clusters.Config{}, scheduler, []string{"--config=/state/x/scheduler.yaml"}, "--kube-api-qps"},
		{"an older one takes no file", clusters.Config{Version: "v1.35.8"}, scheduler, []string{"--kube-api-qps=1000"}, "--config"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := commandsOf(t, tc.config)
			i := slices.IndexFunc(all, func(c command) bool { return c.name == tc.of })
			if i < 0 {
				t.Fatalf("%s does not run", tc.of)
			}
			for _, want := range tc.has {
				if !slices.Contains(all[i].args, want) {
					t.Errorf("no %s in %q", want, all[i].args)
				}
			}
			if got := strings.Join(all[i].args, " "); tc.without != "" && strings.Contains(got, tc.without) {
				t.Errorf("%s is in %s", tc.without, got)
			}
		})
	}
}

func TestOtherProgramsTakeTheirPlace(t *testing.T) {
	p, _, _ := setup(t)
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	found, err := find(t.Context(), p.Programs, clusters.Config{Version: "v1.37.1", Programs: map[string]string{scheduler: mine}}, "")
	if err != nil || found.paths[scheduler] != mine || found.paths[apiserver] == mine {
		t.Errorf("%v, %v", found.paths, err)
	}
	_, err = find(t.Context(), p.Programs, clusters.Config{Version: "v1.37.1", Programs: map[string]string{scheduler: mine + "?", "kubelet": mine}}, "")
	for _, want := range []string{"programs: kube-scheduler: ", `programs: the control plane has no "kubelet", only etcd, kube-apiserver, kube-controller-manager, kube-scheduler`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said in: %v", want, err)
		}
	}
}

func TestComponentsCanBeLeftOut(t *testing.T) {
	var names []string
	for _, c := range commandsOf(t, clusters.Config{Without: []string{"scheduler", "controllers"}}) {
		names = append(names, c.name)
	}
	if want := []string{etcd, apiserver}; !slices.Equal(names, want) {
		t.Errorf("%v run, want %v", names, want)
	}
}

// The configuration is merged with the common scheduler configuration.
func TestSchedulerConfigurationIsMerged(t *testing.T) {
	c := clusters.Config{Provider: clusters.ProviderControlPlane, Version: "v1.37.1", Scheduler: map[string]any{"extenders": []any{map[string]any{"urlPrefix": "http://127.0.0.1:1"}}}}
	l := layout{dir: "/state/x", ports: map[string]int{}}
	p := programs{paths: map[string]string{scheduler: "/p"}}
	if err := tuneScheduler(c, l, &p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"urlPrefix: http://127.0.0.1:1", "leaderElect: false", "kubeconfig: " + l.kubeconfig(scheduler)} {
		if !strings.Contains(string(p.schedulerConfig), want) {
			t.Errorf("%q is not in\n%s", want, p.schedulerConfig)
		}
	}
	c.Version = "v1.35.0"
	if err := tuneScheduler(c, l, &p); err == nil {
		t.Error("no error for a version that gets no configuration")
	}
}

func commandsOf(t *testing.T, c clusters.Config) []command {
	t.Helper()
	c.Provider = clusters.ProviderControlPlane
	c = c.WithDefaults("v1.37.1")
	p, _, _ := setup(t)
	l := layout{dir: "/state/x", ports: map[string]int{}}
	found, err := find(t.Context(), p.Programs, c, l.kubeconfig(scheduler))
	if err != nil {
		t.Fatal(err)
	}
	if err := tuneScheduler(c, l, &found); err != nil {
		t.Fatal(err)
	}
	return commands(c, found, l)
}
