// Package source reads a checkout of Kubernetes: which version it is of, what its
// kubeadm asks for, and a key that changes with every file that is compiled. It
// builds nothing; clusters/images/modules does. Start at Open.
package source
