// Command bench-prebind shows that events do not pile up in a scheduler while pods wait in
// PreBind for the binding conditions of their devices, a risk that KEP-5007 names: the
// scheduling queue keeps events for pods that are being scheduled ("in flight").
//
// On a control plane with simulated nodes, once for Kubernetes' scheduler and once for this
// project's, many pods wait while nodes change many times more often. A control, in which a
// pod is held in Filter meanwhile, shows that the metric would rise if events were kept.
// Start at main, then measure.go.
package main
