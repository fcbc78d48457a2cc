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

package clusters

import "testing"

func TestTakesSchedulerConfig(t *testing.T) {
	gates := func(name string, on bool) Config {
		return Config{FeatureGates: map[string]bool{name: on}}
	}
	for name, tc := range map[string]struct {
		config Config
		want   bool
	}{
		"newest":                  {Config{}, true},
		"v1.36":                   {Config{Version: "v1.36.4"}, true},
		"too old":                 {Config{Version: "v1.35.8"}, false},
		"image of some version":   {Config{Image: "node:x"}, false},
		"image of a version":      {Config{Image: "node:x", Version: "1.37"}, true},
		"feature on":              {gates("DRADeviceBindingConditions", true), true},
		"feature off":             {gates("DRADeviceBindingConditions", false), false},
		"all beta features off":   {gates("AllBeta", false), false},
		"own configuration":       {Config{ComponentArgs: map[string]map[string]string{"scheduler": {"--config": "/x"}}}, false},
		"argument that is lost":   {Config{ComponentArgs: map[string]map[string]string{"scheduler": {"kube-api-qps": "9"}}}, false},
		"argument that is minded": {Config{ComponentArgs: map[string]map[string]string{"scheduler": {"v": "9"}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.config.TakesSchedulerConfig(); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
