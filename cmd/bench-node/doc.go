// Command bench-node compares this project's kubelet manager and controllers with
// Kubernetes' own on one real cluster, in one run: how long pods with a claim take
// to start on a node, how fast claims are made from templates, and how much memory
// each component has.
//
// Start with main; kubelets.go, controllers.go and memory.go each measure one thing.
// It makes the cluster and removes it.
package main
