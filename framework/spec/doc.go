// Package spec is the vocabulary of dratest as plain data: what a case is and
// needs, what a target serves, what was planned, what came out, and what one
// asks of a programmable DRA driver.
//
// It has no behaviour beyond validation, formatting and the table of needs
// (needs.go), no clients and no clock, so that every other package may import it.
// Kubernetes' own structs of resource.k8s.io/v1 are used wherever they exist.
//
// Start with Meta (a case), Target (a cluster), Plan and Outcome; DriverConfig
// and Fault are the language between cases and the test driver.
package spec
