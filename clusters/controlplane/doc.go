// Package controlplane is the provider of clusters that are processes of this
// machine: etcd, kube-apiserver, kube-scheduler and the controllers, with nodes that
// kwok simulates. No container runs, so it serves cases that need no node, and what
// only places pods. It does not build the programs; Programs says where they come
// from. Start at Provider and, for what runs with which arguments, at commands.
package controlplane
