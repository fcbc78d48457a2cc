// Package sanity checks a DRA driver's promises to the kubelet over gRPC, while the kubelet
// stays connected. It creates and allocates claims for free devices, in each version of the
// plugin API served by the driver.
//
// Checks follow the doc comments of the plugin library and the KEPs. Behavior left open there
// is not checked. A Subject provides access to the driver's socket and node.
//
// Start with Run; all.go lists the checks, check.go has their API.
package sanity
