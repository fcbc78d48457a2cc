package simulation

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

const nodesInBench, podsInBench = 2000, 1000

// BenchmarkGrow: 1000 pods of 20 kinds wait, 2000 nodes have 8 devices each and all of
// them are in use, ten groups of different size and cost can grow.
func BenchmarkGrow(b *testing.B) {
	objects := world()
	for i := range nodesInBench {
		name := fmt.Sprintf("node-%04d", i)
		objects.withNode(node(name), slice(name, 8, each(model)))
		for device := range 8 {
			objects.withPod(using(fmt.Sprintf("%s-%d", name, device), fmt.Sprintf("claim-%s-%d", name, device)), one(fmt.Sprintf("claim-%s-%d", name, device)))
			last := &cluster{Objects{Pods: objects.Pods[len(objects.Pods)-1:]}}
			last.Claims = objects.Claims[len(objects.Claims)-1:]
			last.running(name, fmt.Sprintf("dev-%d", device))
		}
	}
	for i := range podsInBench {
		kind := i % 20
		objects.withPods(1, func(name string) *resourceapi.ResourceClaim {
			return asking(name, int64(1+kind%4), request(func(r *resourceapi.DeviceRequest) {
				if kind >= 10 {
					r.Exactly.Selectors = selecting(`device.attributes["driver.example.com"].model == "b"`)
				}
			}))
		})
		pod := objects.Pods[len(objects.Pods)-1]
		pod.Name = fmt.Sprintf("waiting-%d", i)
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(int64(100+kind), resource.DecimalSI)}
	}
	var groups []*Group
	for i := range 10 {
		groups = append(groups, costing(group(fmt.Sprint("group-", i), i+4, each(model)), int64(10+9*i)))
	}
	b.ReportAllocs()
	for b.Loop() {
		s := objects.simulate(b)
		growth, err := s.Grow(b.Context(), s.Pending(), groups)
		if err != nil || len(growth.Unserved()) > 0 {
			b.Fatalf("%d pods have no node, error %v", len(growth.Unserved()), err)
		}
		b.ReportMetric(float64(growth.Cost), "cost")
		b.ReportMetric(float64(growth.Bound), "bound")
	}
}
