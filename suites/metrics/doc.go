// Package metrics has the cases for metrics of the scheduler and the controllers. They run alone,
// as other cases create claims, too. For the kubelet's metrics see package node.
package metrics
