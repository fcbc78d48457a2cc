// Package profiles holds device inventories as data: what a test driver
// publishes on each node. Every function returns a fresh value, which a case may
// change.
//
// It starts no driver. Add an inventory here only when a case needs it.
package profiles
