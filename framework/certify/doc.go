// Package certify tests the driver of a vendor, as it is in a cluster, against what its
// vendor declares of it, and says what that came to: certified, not certified, incomplete.
//
// The cases are those of all suites that any driver must pass (spec.Needs.Devices), run by
// framework/run. Here is what is around them: what the cluster shows of the driver (look, an
// adapter), what that means (sight), the screen before the run, a pod on each node that
// tries the driver, what else is in the cluster before and after (snapshot), the verdict.
// sight, snapshot's comparison and verdict are pure.
//
// Start with Run.
package certify
