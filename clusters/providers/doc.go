// Package standard is where the clusters of a run come from by default: kind, with
// node images that are built when they are missing, on an engine that is started
// when it has been stopped. The command and the suites' test share it.
package providers
