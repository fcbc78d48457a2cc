// Package script makes the gRPC service of a DRA driver misbehave as told, and
// records what the kubelet called (Script.Intercept is a gRPC interceptor).
//
// It works on the messages of the wire, so that what the kubelet sees is exact
// and the driver behind it needs to know nothing. It prepares no devices.
//
// Start with Script; faults.go says what each kind of fault does.
package script
