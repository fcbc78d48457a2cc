// Package cases has what must hold for pods with claims while the versions, or
// feature gates, of a cluster's components change under them. A case is done in
// pieces between the steps; what it has to remember travels in its Notes, so that a
// run can go on in another process.
//
// It changes no component, but may change the driver. Start with Case and All; one
// case per file, or one kind of case that several differ from in data only.
package cases
