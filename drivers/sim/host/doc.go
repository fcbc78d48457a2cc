// Package host is what an agent does with the kubelet of its node: it restarts it and
// asks it what containers have. It knows nothing of drivers. Start with RestartKubelet.
package host
