// Package classicdra starts a scheduler with classic DRA (KEP-3063) and drivers that allocate claims
// themselves, and reads and writes their objects.
package classicdra
