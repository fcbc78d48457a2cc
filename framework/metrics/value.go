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

package metrics

import (
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
)

// Value is a gauge, a counter, or the count of a histogram: the sum of all metrics with these labels, and whether
// there are any.
func Value(family *dto.MetricFamily, labels map[string]string) (value float64, found bool) {
	for _, metric := range family.GetMetric() {
		matches := 0
		for _, label := range metric.GetLabel() {
			if want, ok := labels[label.GetName()]; ok && want == label.GetValue() {
				matches++
			}
		}
		if matches == len(labels) {
			found = true
			value += metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return value, found
}

// Describe is the metric's name and labels as Prometheus writes them.
func Describe(name string, labels map[string]string) string {
	metric := model.Metric{model.MetricNameLabel: model.LabelValue(name)}
	for label, value := range labels {
		metric[model.LabelName(label)] = model.LabelValue(value)
	}
	return metric.String()
}

// Dispatched is the number of requests dispatched by the API server for a FlowSchema.
func Dispatched(families Families, schema string) (sum float64) {
	for _, metric := range families["apiserver_flowcontrol_dispatched_requests_total"].GetMetric() {
		if Label(metric, "flow_schema") == schema {
			sum += metric.GetCounter().GetValue()
		}
	}
	return sum
}
