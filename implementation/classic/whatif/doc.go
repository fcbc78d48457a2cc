// Package whatif says what pods that wait would get of a driver on nodes that there are and
// on others that there could be: what an autoscaler has to know. It asks the driver itself,
// which simulates (controller.Simulator), and takes nothing.
//
// It looks at claims, node selectors, affinity to nodes and taints. What else keeps pods
// from nodes, as processors and memory, is for the autoscaler, and so are claims that other
// drivers or the scheduler allocate. Start at Place.
package whatif
