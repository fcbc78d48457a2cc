// Package composable is the controller of a composable fabric: it publishes free devices, attaches
// them for allocated claims, reports to the scheduler in claim status, and detaches unused devices
// (KEP-5007, section "Composable Controller Design Overview").
//
// fabricplan decides; this package watches, queries the fabric and writes. Only devices' idle times
// are kept in memory: a successor continues from the claims, slices and the fabric.
//
// Start at Controller; syncClaim and refresh do the work. Manager is a Fabric over HTTP.
package composable
