// Package matrix runs upgrades, or cases after an upgrade, for each row of a table: each
// feature gate switched and switched back (Gates), all cases on each older kubelet (Skew).
//
// The rows are trials of package framework/prove, so that an interrupted matrix can be
// resumed, sharded and merged.
package matrix
