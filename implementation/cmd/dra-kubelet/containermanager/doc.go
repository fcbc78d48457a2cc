// Package containermanager puts this project's DRA manager into the kubelet.
//
// The kubelet makes its ContainerManager with a DRA manager inside, without a way to
// choose another. This package lets it, replaces it afterwards by one that answers for
// DRA itself, and keeps what is inside from doing harm: it never sees a claim, a
// driver, the checkpoint or the node.
//
// Start with Run, then manager. The rules of DRA are in implementation/kubelet.
package containermanager
