// Package kubelet replaces the program that runs as the kubelet of a node, on a
// running cluster, and waits until the new one answers. The node's pods go on: the
// container runtime holds them, and the new kubelet takes them over.
//
// It does not build programs, and knows nothing of stacks: who calls it says what is
// to run. Start with Replace.
package kubelet
