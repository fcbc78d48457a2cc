// Package deploy puts dra-sim's agent on the nodes of a cluster and takes it
// away again: a namespace, the least rights that work, a DaemonSet.
//
// It builds no image and loads none: the nodes must have Config.Image, or be
// able to pull it. Start with Install, WaitReady and Uninstall.
package deploy
