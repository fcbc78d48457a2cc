// Package run runs a plan on a testbed: probe, Ginkgo, journal, reports. It is the one wiring that "dratest run" and
// "go test ./suites -args -e2e" share.
//
// The command, Ginkgo's command line and the suite are one and the same binary
// (Child), so that a machine that runs cases needs neither Go nor Ginkgo. Start
// with Run and Parts; Suite is what the suites' test calls.
package run
