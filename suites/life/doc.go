// Package life has the cases for the lifecycle of a driver: crashes, updates, restarts of the
// kubelet and of nodes, and lost files. They test drivers as installed by their vendors, and judge
// the driver: no case depends on a kubelet bug.
package life
