// Package vendortest has what the vendor of a DRA driver calls in Go tests of its own:
// Cases runs the cases for any driver in a cluster, Sanity the checks of what drivers
// promise the kubelet, on the node itself. Both read driver.yaml.
//
// examples/vendor is a module that uses it. A verdict, and a certificate, are those of
// "dratest certify".
package vendortest
