// Package eviction has the cases for device taints evicting pods (KEP-5055).
package eviction
