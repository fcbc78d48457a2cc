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

package containermanager

import (
	"testing"

	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/util/oom"
)

func TestOnceManagerExists(t *testing.T) {
	var calls []string
	deps := &kubelet.Dependencies{OOMAdjuster: &oom.OOMAdjuster{ApplyOOMScoreAdj: func(int, int) error {
		calls = append(calls, "adjust")
		return nil
	}}}
	onceManagerExists(deps, func() { calls = append(calls, "install") })
	for range 2 {
		if err := deps.OOMAdjuster.ApplyOOMScoreAdj(0, -999); err != nil {
			t.Fatal(err)
		}
	}
	if len(calls) != 3 || calls[0] != "install" || calls[1] != "adjust" || calls[2] != "adjust" {
		t.Errorf("calls are %v", calls)
	}
}
