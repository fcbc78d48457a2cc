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

package kubelet

import "k8s.io/component-base/metrics"

// Collector collects the metric dra_resource_claims_in_use, described by desc, with the label
// driver_name: the description must equal the kubelet's, or registration fails. It includes claims
// from before a kubelet restart.
func (m *Manager) Collector(desc *metrics.Desc) metrics.StableCollector {
	return &collector{manager: m, desc: desc}
}

type collector struct {
	metrics.BaseStableCollector
	manager *Manager
	desc    *metrics.Desc
}

// DescribeWithStability implements metrics.StableCollector.
func (c *collector) DescribeWithStability(descs chan<- *metrics.Desc) { descs <- c.desc }

// CollectWithStability implements metrics.StableCollector.
func (c *collector) CollectWithStability(values chan<- metrics.Metric) {
	for driver, claims := range c.manager.inUse() {
		values <- metrics.NewLazyConstMetric(c.desc, metrics.GaugeValue, float64(claims), driver)
	}
}

func (m *Manager) inUse() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.InUse()
}
