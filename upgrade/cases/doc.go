// Package cases has the promises for pods with claims while versions or feature gates of a
// cluster's components change. A case runs in parts between the steps; its Notes carry its
// state, so another process can continue the run.
//
// It changes no component, but may change the driver. Start with Case and All; one case per
// file, or one kind of case with variants differing only in data.
package cases
