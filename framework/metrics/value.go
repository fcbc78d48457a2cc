package metrics

import (
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
)

// Value is a gauge, a counter, or the count of a histogram: the sum of all that have these labels, and
// whether there are any.
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
