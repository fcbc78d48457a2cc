// Package registration reads the sockets by which drivers register with a kubelet, as the
// kubelet does. Start with List.
package registration
