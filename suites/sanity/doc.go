// Package sanity checks over gRPC what a DRA driver promises the kubelet, while the
// kubelet stays connected: with claims that are made and allocated here, on devices that
// nobody has, for each version of the plugin API that the driver serves.
//
// A check judges the driver only by what the doc comments of the plugin library and the
// KEPs ask of it; what a driver may do in several ways is not asked for. How the driver's
// socket and node are reached is a Subject's business.
//
// Start with Run; all.go lists the checks, check.go has what they are written with.
package sanity
