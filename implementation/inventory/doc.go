// Package inventory turns ResourceSlices into what a node can reach: pools in the
// order of allocation, complete or not, valid or why not, and their devices. It
// knows nothing of claims. Start at Inventory.
package inventory
