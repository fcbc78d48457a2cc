// Package access proves that the role which "dratest manifests" prints is the least one
// that works: a run of all cases with it passes and takes each of its rights, and a run
// that lacks one of them says which.
//
// Start with Proof, which lists the trials, and Prover, which does them. Recorder is how
// it is seen which rights a run takes.
package access
