// Package composable is the controller of a fabric: it publishes what is free there,
// attaches devices for the claims that get it, tells the scheduler in the status of
// claims, and detaches what nobody uses (KEP-5007, section "Composable Controller Design
// Overview").
//
// fabricplan decides; this package watches, asks the fabric and writes. Nothing but for
// how long devices were idle is kept in memory: a successor goes on with what the claims,
// the slices and the fabric say.
//
// Start at Controller; syncClaim and refresh do the work. Manager is a Fabric over HTTP.
package composable
