// Package site runs a fabric of devices, the controllers of its clusters and the drivers of
// their nodes on this machine (KEP-5007): the fabric's manager in this process, over TLS, each
// controller and driver as a process of its own. Any of them can be killed and started again.
//
// It knows nothing of cases, soaks or clusters. Start at Open.
package site
