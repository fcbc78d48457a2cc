// Package upgrades proves that an upgrade notices what is broken in the new version.
//
// Start with Breaks. Its findings come from the upgrade's record, not from its output.
package upgrades
