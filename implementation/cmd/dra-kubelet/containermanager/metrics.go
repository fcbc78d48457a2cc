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
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	kubeletmetrics "k8s.io/kubernetes/pkg/kubelet/metrics"
)

// operationMetrics uses the kubelet's metrics, registered by the kubelet.
type operationMetrics struct{}

func (operationMetrics) Operation(name string, isError bool, duration time.Duration) {
	kubeletmetrics.DRAOperationsDuration.WithLabelValues(name, strconv.FormatBool(isError)).Observe(duration.Seconds())
}

func (operationMetrics) Call(driver, method, code string, duration time.Duration) {
	kubeletmetrics.DRAGRPCOperationsDuration.WithLabelValues(driver, method, code).Observe(duration.Seconds())
}

func (operationMetrics) PrepareSkipped(driver string) {
	kubeletmetrics.DRANodePrepareSkipsTotal.WithLabelValues(driver).Inc()
}

func (operationMetrics) UnprepareSkipped(driver string) {
	kubeletmetrics.DRANodeUnprepareSkipsTotal.WithLabelValues(driver).Inc()
}

// replaceCollector replaces the built-in DRA manager's collector of claims in use; registering both
// panics. The built-in one is registered with both Kubernetes' and Prometheus' registry, without an
// exported reference, so registries must find it by metric name. They keep descriptions forever, so
// own's must be identical.
func replaceCollector(own metrics.StableCollector) {
	stale := claimsInUse{}
	legacyregistry.Registerer().Unregister(stale)
	prometheus.Unregister(stale)
	kubeletmetrics.RegisterCollectors(own)
}

// claimsInUse describes dra_resource_claims_in_use without a value.
type claimsInUse struct{}

func (claimsInUse) Describe(descs chan<- *prometheus.Desc) {
	name := prometheus.BuildFQName("", kubeletmetrics.DRASubsystem, "resource_claims_in_use")
	descs <- prometheus.NewDesc(name, "", []string{"driver_name"}, nil)
}

func (claimsInUse) Collect(chan<- prometheus.Metric) {}
