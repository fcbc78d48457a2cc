// Package site runs a fabric of devices and the controllers of its clusters on this machine
// (KEP-5007): the fabric's manager in this process, over TLS, each controller as a process
// of its own. Any of them can be killed and started again.
//
// It knows nothing of cases, soaks or clusters. Start at Open.
package site
