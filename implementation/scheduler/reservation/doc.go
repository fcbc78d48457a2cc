// Package reservation takes pods out of the consumers of claims.
package reservation
