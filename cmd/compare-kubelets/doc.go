// Command compare-kubelets compares dra-kubelet with Kubernetes' own kubelet while
// both run, on two nodes of one cluster: what they say of their configuration, flags,
// node and metrics must be the same. It also checks that dra-kubelet sends no request to
// resource.k8s.io while pods with claims run and nothing happens.
//
// Start with main; differences.go is what being the same means, without a cluster.
// It makes the cluster and removes it.
package main
