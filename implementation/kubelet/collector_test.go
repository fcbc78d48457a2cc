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

package kubelet_test

import (
	"strings"
	"testing"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
)

// Claims from before a restart are in use; the kubelet's own manager misses them.
func TestClaimsInUse(t *testing.T) {
	w := newWorld(t)
	a, b := w.driver("a"), w.driver("b")
	p, q := pod("p", "c"), pod("q", "d")
	w.reserve(claim("c", "a", "b"), p)
	w.reserve(claim("d", "a"), q)
	w.inUse(map[string]string{"<any>": "0"})
	w.prepare(p)
	w.prepare(q)
	w.inUse(map[string]string{"<any>": "2", "a": "2", "b": "1"})
	w.restart(a, b)
	w.inUse(map[string]string{"<any>": "2", "a": "2", "b": "1"})
	w.unprepare(p)
	w.inUse(map[string]string{"<any>": "1", "a": "1"})
}

func (w *world) inUse(want map[string]string) {
	w.t.Helper()
	var text strings.Builder
	text.WriteString("# HELP dra_resource_claims_in_use [ALPHA] In use.\n# TYPE dra_resource_claims_in_use gauge\n")
	for driver, count := range want {
		text.WriteString(`dra_resource_claims_in_use{driver_name="` + driver + `"} ` + count + "\n")
	}
	desc := metrics.NewDesc("dra_resource_claims_in_use", "In use.", []string{"driver_name"}, nil, metrics.ALPHA, "")
	if err := testutil.CustomCollectAndCompare(w.manager.Collector(desc), strings.NewReader(text.String()), "dra_resource_claims_in_use"); err != nil {
		w.t.Error(err)
	}
}
