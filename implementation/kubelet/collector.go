package kubelet

import "k8s.io/component-base/metrics"

// Collector has the metric dra_resource_claims_in_use, which desc describes, with the
// label driver_name: a registry takes it only if its description is what the kubelet's
// is. Claims from before a restart of the kubelet count.
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
