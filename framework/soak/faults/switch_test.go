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

package faults

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/spec"
)

type switcher struct {
	did []string
	err error
}

func (s *switcher) Switch(_ context.Context, name string, to clusters.Stack) ([]clusters.Switched, error) {
	s.did = append(s.did, name+" "+to.String())
	return nil, s.err
}

func TestBackAndForth(t *testing.T) {
	var s switcher
	list, err := BackAndForth(&s, clusters.Stack{Kubelet: spec.Own}, []string{"scheduler", "kubelet"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, fault := range list {
		names = append(names, fault.Name())
		if err := fault.Do(t.Context(), soak.Target{Cluster: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"c scheduler=own", "c stock", "c stock", "c kubelet=own"}, s.did); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"switch scheduler to own", "switch kubelet to stock", "switch scheduler to stock", "switch kubelet to own"}, names); d != "" {
		t.Error(d)
	}
	if _, err := BackAndForth(&s, clusters.Stack{}, []string{"etcd"}, 1); err == nil {
		t.Error("an unknown component is switched")
	}
}

func TestSwitchFails(t *testing.T) {
	broken := errors.New("broken")
	fault := Switch{Switcher: &switcher{err: broken}, To: clusters.Stack{Scheduler: spec.Own}}
	if err := fault.Do(t.Context(), soak.Target{Cluster: "c"}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := fault.Do(t.Context(), soak.Target{}); err == nil || errors.Is(err, broken) {
		t.Errorf("a cluster of somebody else: %v", err)
	}
}
