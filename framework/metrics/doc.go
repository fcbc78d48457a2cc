// Package metrics reads what Kubernetes components tell about themselves in Prometheus'
// text format.
package metrics
