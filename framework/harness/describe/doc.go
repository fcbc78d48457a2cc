// Package describe tells in a few words what matters about pods, claims and events when a case
// has failed. It is pure.
package describe
