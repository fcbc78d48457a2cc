// Package harness runs cases: it gives each one a namespace, a driver, clients,
// steps and waits (T), gathers evidence before it cleans up, and is the one
// place that turns cases into Ginkgo specs (Register).
//
// It is not what decides which cases run (plan) nor what the reports look like
// (reports). Start with Case and T.
package harness
