// Package state says which devices are in use: it turns events of ResourceClaims
// and decisions that are not in the API yet into immutable snapshots, so that no
// scheduling attempt walks all claims. Start at State.
package state
