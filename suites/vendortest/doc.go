// Package vendortest is for the Go tests of a DRA driver's vendor: Cases runs the cases for any
// driver in a cluster, Sanity the checks of the driver's promises to the kubelet, on the node
// itself. Both read driver.yaml.
//
// See the module examples/vendor. Verdicts and certificates come from "dratest certify".
package vendortest
