// Package modules builds the programs of clusters from pinned Go modules:
// Kubernetes, etcd, containerd, kwok. One pair of go.mod and go.sum per Kubernetes
// version is embedded (docs/adr/0001 says why); it does not know
// what the programs are for. Start at Kubernetes, Runtime, Etcd, Kwok and Builder.
package modules
