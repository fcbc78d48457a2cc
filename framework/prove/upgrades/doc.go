// Package upgrades holds the proofs that are about upgrades: that an upgrade notices what
// is broken in the new version (Breaks), that claims live through each feature gate's
// being switched (Gates), that cases pass with each older kubelet (Skew).
//
// Each is a list of trials for package framework/prove, with the Prover that does them.
// What came out is read from the upgrade's record, not from what it prints.
package upgrades
