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

package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// operations are calls timed by a kubelet.
type operations struct{ seconds, number float64 }

func (o *operations) add(metric *dto.Metric) {
	o.seconds += metric.GetHistogram().GetSampleSum()
	o.number += float64(metric.GetHistogram().GetSampleCount())
}

// since returns the average duration of operations after before, in seconds.
func (o operations) since(before operations) float64 {
	return (o.seconds - before.seconds) / (o.number - before.number)
}

// kubeletMetrics are the kubelet metrics used here.
type kubeletMetrics struct {
	started       float64 // process start, Unix time
	resident      float64 // bytes
	prepare, call operations
	// sandboxes is the number of sandboxes created minus removed since the start, including removals of
	// earlier ones.
	sandboxes float64
}

// metrics reads the kubelet's metrics.
func (b *bench) metrics(ctx context.Context) (kubeletMetrics, error) {
	families, err := metrics.Kubelet(ctx, b.client, b.node)
	if err != nil {
		return kubeletMetrics{}, err
	}
	var m kubeletMetrics
	for _, metric := range families["process_start_time_seconds"].GetMetric() {
		m.started = metric.GetGauge().GetValue()
	}
	for _, metric := range families["process_resident_memory_bytes"].GetMetric() {
		m.resident = metric.GetGauge().GetValue()
	}
	for _, metric := range families["dra_operations_duration_seconds"].GetMetric() {
		if metrics.Label(metric, "operation_name") == "PrepareResources" && metrics.Label(metric, "is_error") == "false" {
			m.prepare.add(metric)
		}
	}
	for _, metric := range families["dra_grpc_operations_duration_seconds"].GetMetric() {
		if strings.HasSuffix(metrics.Label(metric, "method_name"), "/NodePrepareResources") {
			m.call.add(metric)
		}
	}
	for family, sign := range map[string]float64{"kubelet_runtime_operations_total": 1, "kubelet_runtime_operations_errors_total": -1} {
		for _, metric := range families[family].GetMetric() {
			switch metrics.Label(metric, "operation_type") {
			case "run_podsandbox":
				m.sandboxes += sign * metric.GetCounter().GetValue()
			case "remove_podsandbox":
				m.sandboxes -= sign * metric.GetCounter().GetValue()
			}
		}
	}
	if m.resident == 0 {
		return m, errors.New("the kubelet does not report its memory")
	}
	return m, nil
}

// ofControllers returns the controllers' pods: kube-controller-manager, and this project's controllers
// running beside it.
func ofControllers(pods []corev1.Pod) []corev1.Pod {
	return slices.DeleteFunc(pods, func(pod corev1.Pod) bool {
		return pod.Spec.NodeName == "" || !strings.HasPrefix(pod.Name, "kube-controller-manager") && !strings.HasPrefix(pod.Name, "dra-controller-manager")
	})
}

// controllersMemory returns the resident memory of all controllers, in bytes.
func (b *bench) controllersMemory(ctx context.Context) (sum float64, err error) {
	pods, err := b.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, fmt.Errorf("list controllers: %w", err)
	}
	for _, pod := range ofControllers(pods.Items) {
		raw, err := b.client.CoreV1().RESTClient().Get().Resource("nodes").Name(pod.Spec.NodeName).SubResource("proxy").Suffix("stats/summary").DoRaw(ctx)
		if err != nil {
			return 0, fmt.Errorf("read statistics of node %s: %w", pod.Spec.NodeName, err)
		}
		memory, err := memoryOf(pod.Name, raw)
		if err != nil {
			return 0, err
		}
		sum += memory
	}
	return sum, nil
}

// summary is the used part of a kubelet's stats/summary (k8s.io/kubelet, stats/v1alpha1).
type summary struct {
	Pods []struct {
		PodRef     struct{ Name string }
		Containers []struct{ Memory *struct{ RSSBytes *uint64 } }
	}
}

// memoryOf returns a pod's resident memory from its node's statistics.
func memoryOf(pod string, statistics []byte) (float64, error) {
	var of summary
	if err := json.Unmarshal(statistics, &of); err != nil {
		return 0, fmt.Errorf("decode statistics: %w", err)
	}
	for _, p := range of.Pods {
		for _, c := range p.Containers {
			if p.PodRef.Name == pod && c.Memory != nil && c.Memory.RSSBytes != nil {
				return float64(*c.Memory.RSSBytes), nil
			}
		}
	}
	return 0, fmt.Errorf("the node does not report the memory of %s", pod)
}
