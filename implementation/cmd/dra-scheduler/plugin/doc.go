// Package plugin joins the scheduler plugin with kube-scheduler: its feature gates
// and its metrics. Start at Factory.
package plugin
