// Package fabric decides what a fabric of attachable devices says of a claim:
// which conditions of which devices become true, and when (KEP-5007). A case
// scripts it; without a script the fabric stays silent.
//
// It is pure: the agent watches claims, asks Script.Next about each and writes
// what it answers.
package fabric
