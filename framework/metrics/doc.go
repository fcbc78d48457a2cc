// Package metrics reads what Kubernetes components tell about themselves in Prometheus'
// text format. It does not say what a metric means.
//
// Start with Kubelet, or with Parse for a text that one has.
package metrics
