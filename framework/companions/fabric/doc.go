// Package fabric runs fabrics of devices for cases on the machine that dratest runs on:
// a manager in this process, and a controller and drivers of nodes, processes of their own
// that reach the cluster as dratest does. Start at Fabrics.
package fabric
