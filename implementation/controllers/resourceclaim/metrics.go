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

package resourceclaim

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	"k8s.io/component-base/metrics"
	resourceclaimmetrics "k8s.io/dynamic-resource-allocation/resourceclaim/metrics"
)

// controllerMetrics are the metrics of KEP-4381, section "Monitoring Requirements". Kubernetes'
// dynamic_resource_allocation_resourceclaim_creates_total is shared with the scheduler and counted
// there.
type controllerMetrics struct {
	creates, createFailures *metrics.Counter
}

func newMetrics() *controllerMetrics {
	counter := func(name, help string) *metrics.Counter {
		return metrics.NewCounter(&metrics.CounterOpts{
			Subsystem: "resourceclaim_controller", Name: name, Help: help, StabilityLevel: metrics.ALPHA})
	}
	return &controllerMetrics{
		creates:        counter("create_total", "Number of attempts to create a ResourceClaim."),
		createFailures: counter("create_failures_total", "Number of attempts to create a ResourceClaim that failed."),
	}
}

func (m *controllerMetrics) created(claim *resourceapi.ResourceClaim, err error) {
	status := "success"
	m.creates.Inc()
	if err != nil {
		status = "failure"
		m.createFailures.Inc()
	}
	var group, kind string
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil {
		kind = owner.Kind
		if g, _, found := strings.Cut(owner.APIVersion, "/"); found {
			group = g
		}
	}
	resourceclaimmetrics.ResourceClaimCreate.WithLabelValues(status, adminAccess(claim), group, kind).Inc()
}

// Register registers the controller's metrics, once per process.
func (c *Controller) Register(counters func(...metrics.Registerable), collectors func(...metrics.StableCollector)) {
	resourceclaimmetrics.RegisterMetrics()
	counters(c.metrics.creates, c.metrics.createFailures)
	collectors(newCollector(c.claims))
}

type collector struct {
	metrics.BaseStableCollector
	claims resourcelisters.ResourceClaimLister
	// all is the name for byKind in KEP-4381 and KEP-5004, allocated the name for a part of it in
	// KEP-4381.
	byKind, all, allocated *metrics.Desc
}

func newCollector(claims resourcelisters.ResourceClaimLister) *collector {
	desc := func(name, help string, labels ...string) *metrics.Desc {
		return metrics.NewDesc(name, help, labels, nil, metrics.ALPHA, "")
	}
	const help = "Number of ResourceClaims by whether they are allocated, whether they ask for admin access, and who made them: " +
		"resource_claim_template, extended_resource, or empty for a user."
	kind := []string{"allocated", "admin_access", "source"}
	return &collector{
		claims:    claims,
		byKind:    desc("dynamic_resource_allocation_resource_claims", help, kind...),
		all:       desc("resourceclaim_controller_resource_claims", help, kind...),
		allocated: desc("resourceclaim_controller_allocated_resource_claims", "Number of ResourceClaims that are allocated."),
	}
}

// DescribeWithStability implements metrics.StableCollector.
func (c *collector) DescribeWithStability(ch chan<- *metrics.Desc) {
	ch <- c.byKind
	ch <- c.all
	ch <- c.allocated
}

// CollectWithStability implements metrics.StableCollector.
func (c *collector) CollectWithStability(ch chan<- metrics.Metric) {
	type kind struct {
		allocated, adminAccess, source string
	}
	counts := make(map[kind]int)
	// Listing everything from a cache cannot fail.
	claims, _ := c.claims.List(labels.Everything())
	allocated := 0
	for _, claim := range claims {
		k := kind{"false", adminAccess(claim), source(claim)}
		if claim.Status.Allocation != nil {
			k.allocated = "true"
			allocated++
		}
		counts[k]++
	}
	gauge := func(desc *metrics.Desc, value int, labels ...string) {
		ch <- metrics.NewLazyConstMetric(desc, metrics.GaugeValue, float64(value), labels...)
	}
	gauge(c.allocated, allocated)
	for k, count := range counts {
		gauge(c.byKind, count, k.allocated, k.adminAccess, k.source)
		gauge(c.all, count, k.allocated, k.adminAccess, k.source)
	}
}

func source(claim *resourceapi.ResourceClaim) string {
	switch {
	case claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true":
		return "extended_resource"
	case claim.Annotations[resourceapi.PodResourceClaimAnnotation] != "":
		return "resource_claim_template"
	default:
		return ""
	}
}

func adminAccess(claim *resourceapi.ResourceClaim) string {
	for _, request := range claim.Spec.Devices.Requests {
		if request.Exactly != nil && request.Exactly.AdminAccess != nil && *request.Exactly.AdminAccess {
			return "true"
		}
	}
	return "false"
}
