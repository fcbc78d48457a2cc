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
	"strings"
	"testing"
)

// With the API server of 1.38 and the scheduler of 1.37, allocation/capacity-fractions failed: the API server had the
// gate on by default, the scheduler did not.
func TestFeatureOffInAnOlderScheduler(t *testing.T) {
	for name, tc := range map[string]struct {
		feature   Feature
		server    string
		scheduler string
		missing   string
	}{
		"off by default in the older scheduler": {FractionalCapacityRange, "v1.38.0-beta.0", "v1.37.1", "off by default in kube-scheduler v1.37.1"},
		"unknown to the older scheduler":        {FractionalCapacityRange, "v1.38.0", "v1.36.4", "off by default in kube-scheduler v1.36.4"},
		"same version":                          {FractionalCapacityRange, "v1.38.0", "v1.38.0", ""},
		"set explicitly in one version":         {FractionalCapacityRange, "v1.37.1", "v1.37.1", ""},
		"on in both":                            {PartitionableDevices, "v1.38.0", "v1.37.1", ""},
		"not of the scheduler":                  {PoolStatus, "v1.39.0", "v1.36.4", ""},
		"unknown version":                       {FractionalCapacityRange, "v1.38.0", "", ""},
	} {
		target := Target{
			Kubernetes: tc.server, Gates: map[Feature]bool{tc.feature: true},
			Running: []Component{{Name: Scheduler, Program: "kube-scheduler", Version: tc.scheduler}},
		}
		switch s := tc.feature.Missing(target); {
		case tc.missing == "" && s != nil:
			t.Errorf("%s: missing: %s", name, s.Text)
		case tc.missing != "" && (s == nil || s.Code != SkipFeature || !strings.Contains(s.Text, tc.missing)):
			t.Errorf("%s: %+v", name, s)
		}
	}
}
