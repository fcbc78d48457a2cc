// Package bugs puts known bugs of published DRA drivers into dra-sim, one at a time,
// so that it can be shown that they are noticed. Each is told by the issue of the driver
// that had it; what is here only breaks dra-sim in the same way.
//
// Start with All; wrap.go has what the bugs are made of.
package bugs
