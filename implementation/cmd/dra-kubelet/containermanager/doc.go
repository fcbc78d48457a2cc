// Package containermanager puts this project's DRA manager into the kubelet.
//
// The kubelet makes its ContainerManager with a DRA manager inside, without a way to
// choose another. This package lets it, replaces it afterwards by one that answers for
// DRA itself, and keeps what is inside from doing harm: it never sees a claim, a
// driver, the checkpoint or the node.
//
// A start goes through these points, each with a line in the log: "Put the DRA
// checkpoint aside", "Put the DRA checkpoint back", "Installed the DRA manager",
// "Started the DRA manager". It can be killed at any of them and loses no claim.
//
// Start with Run, then manager. The rules of DRA are in implementation/kubelet.
package containermanager
