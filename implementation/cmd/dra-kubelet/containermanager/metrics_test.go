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
	"maps"
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2/ktesting"
	stockdra "k8s.io/kubernetes/pkg/kubelet/cm/dra"
	kubeletmetrics "k8s.io/kubernetes/pkg/kubelet/metrics"
)

// Registering a second collector of the metric panics: the first kubelet with its own DRA manager
// crashed with "duplicate metrics collector registration attempted". Another description panics too,
// even after the first collector has been unregistered.
func TestCollectorTakesThePlaceOfTheKubelets(t *testing.T) {
	logger, _ := ktesting.NewTestContext(t)
	stock, err := stockdra.NewManager(logger, fake.NewClientset(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kubeletmetrics.RegisterCollectors(stock.NewMetricsCollector())
	m, _ := newManager(t)
	replaceCollector(m.dra.Collector(kubeletmetrics.DRAResourceClaimsInUseDesc))
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]float64)
	for _, family := range families {
		if family.GetName() == "dra_resource_claims_in_use" {
			for _, metric := range family.GetMetric() {
				values[metric.GetLabel()[0].GetValue()] = metric.GetGauge().GetValue()
			}
		}
	}
	// From the checkpoint.
	if want := map[string]float64{"<any>": 2, "driver": 2}; !maps.Equal(values, want) {
		t.Errorf("claims in use are %v, want %v", values, want)
	}
}
