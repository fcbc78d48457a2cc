// Package whatif predicts where a driver could serve waiting pods, on existing and on hypothetical
// nodes, for autoscalers. It asks the driver itself for a simulation (controller.Simulator),
// without allocating anything.
//
// It evaluates claims, node selectors, node affinity and taints. Other constraints, such as CPU and
// memory, are left to the autoscaler, and so are claims allocated by other drivers or the
// scheduler. Start at Place.
package whatif
