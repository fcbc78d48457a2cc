// Package life has the cases about what a driver outlives, or its users do: its own end and
// that of the kubelet, of nodes and of what it keeps there. They are for drivers as their
// vendors have installed them, and judge the driver: what a kubelet of Kubernetes itself
// does wrong then is in none of them.
package life
