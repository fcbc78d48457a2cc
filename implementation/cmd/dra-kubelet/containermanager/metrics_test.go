package containermanager

import (
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2/ktesting"
	stockdra "k8s.io/kubernetes/pkg/kubelet/cm/dra"
	kubeletmetrics "k8s.io/kubernetes/pkg/kubelet/metrics"
)

// collector has dra_resource_claims_in_use with the value 7.
type collector struct{ metrics.BaseStableCollector }

func (*collector) DescribeWithStability(descs chan<- *metrics.Desc) {
	descs <- kubeletmetrics.DRAResourceClaimsInUseDesc
}

func (*collector) CollectWithStability(values chan<- metrics.Metric) {
	values <- metrics.NewLazyConstMetric(kubeletmetrics.DRAResourceClaimsInUseDesc, metrics.GaugeValue, 7, "<any>")
}

// To register a second collector of the metric panics: the start-up of the first
// kubelet with a DRA manager of its own ended with "duplicate metrics collector
// registration attempted".
func TestCollectorTakesThePlaceOfTheKubelets(t *testing.T) {
	logger, _ := ktesting.NewTestContext(t)
	stock, err := stockdra.NewManager(logger, fake.NewClientset(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kubeletmetrics.RegisterCollectors(stock.NewMetricsCollector())
	replaceCollector(&collector{})
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, family := range families {
		if family.GetName() == "dra_resource_claims_in_use" {
			for _, metric := range family.GetMetric() {
				values = append(values, metric.GetGauge().GetValue())
			}
		}
	}
	if len(values) != 1 || values[0] != 7 {
		t.Errorf("values are %v, want only 7", values)
	}
}
