// Package node has the cases for the kubelet: prepare and unprepare, device reporting, and recovery
// of the kubelet, drivers and CDI files.
package node
