// Package host is what an agent does with the kubelet of its node: it restarts it, asks
// it what containers have, and tells which program it is. It knows nothing of drivers.
// Start with RestartKubelet.
package host
