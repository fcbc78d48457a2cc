// Package metrics has cases about what the scheduler and the controllers count. They run
// alone, as other cases make claims, too; what kubelets count is in package node.
package metrics
