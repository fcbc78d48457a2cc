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

package spec

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestWorkloadOfAClass(t *testing.T) {
	d := DriverUnderTest{Workload: Workload{Present: []string{"gpu"}}, FeatureClasses: map[DriverFeature]DriverClass{
		DriverPartitionable: {Class: "mig", Workload: Workload{Present: []string{"mig"}}}, DriverTaints: {Class: "other"},
	}}
	for want, features := range map[string][][]DriverFeature{"mig": {{DriverPartitionable}}, "gpu": {nil, {DriverTaints}, {DriverHealth}}} {
		for _, f := range features {
			if got := d.WorkloadFor(f).Present[0]; got != want {
				t.Errorf("%v: %s, want %s", f, got, want)
			}
		}
	}
}

// Cases without a configuration remain, and no case of another class has one of the first class.
func TestConfigurationsInTurn(t *testing.T) {
	d := DriverUnderTest{Configs: []json.RawMessage{json.RawMessage("1"), json.RawMessage("2")}, FeatureClasses: map[DriverFeature]DriverClass{DriverPartitionable: {Class: "mig"}}}
	used := map[string]int{}
	for n := range 30 {
		m := Meta{ID: fmt.Sprintf("core/%d", n)}
		used[string(d.ConfigFor(m))]++
		m.Needs.DriverFeatures = []DriverFeature{DriverPartitionable}
		if got := d.ConfigFor(m); got != nil {
			t.Errorf("%s uses class mig and has configuration %s", m.ID, got)
		}
	}
	for _, want := range []string{"", "1", "2"} {
		if used[want] < 5 {
			t.Errorf("%d of 30 cases use configuration %q", used[want], want)
		}
	}
	if got := (DriverUnderTest{}).ConfigFor(Meta{ID: "core/count"}); got != nil {
		t.Errorf("without configurations: %s", got)
	}
}
