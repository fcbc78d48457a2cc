// Package node has cases about what a kubelet tells of devices, and about claims whose
// kubelet, driver or CDI files went away for a while.
package node
