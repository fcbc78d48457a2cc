package kubelet

import "k8s.io/component-base/metrics"

// Collector has the metric dra_resource_claims_in_use. Claims from before a restart
// of the kubelet count.
func (m *Manager) Collector() metrics.StableCollector {
	return &collector{manager: m, desc: metrics.NewDesc("dra_resource_claims_in_use",
		"How many ResourceClaims are in use on the node, by the name of their driver, and in all (<any>). "+
			"A ResourceClaim may have devices of several drivers, so the numbers of drivers do not add up.",
		[]string{"driver_name"}, nil, metrics.ALPHA, "")}
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
