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

package prebind

import (
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/perf"
	"github.com/dra-conformance/dratest/framework/testbed"
)

func TestPodsNeedDevices(t *testing.T) {
	scenario := Scenario(nil)
	config := clusters.Config{Name: "c"}
	if err := scenario.Cluster(&config); err != nil || len(config.Scheduler) == 0 {
		t.Fatalf("%v, %v", config.Scheduler, err)
	}
	b := &testbed.Testbed{Cluster: "c"}
	defer func() {
		if err := b.Close(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}()
	if _, err := scenario.Prepare(t.Context(), perf.Site{Testbed: b, Workload: perf.Workload{Nodes: 1, Devices: 1, Pods: 2}}); err == nil {
		t.Error("no error for more pods than devices")
	}
}
