// Package prove does proofs: lists of trials, each of which breaks one thing on purpose
// and checks that those notice who must. The record of what came out is on disk after
// each trial, so that a proof that was killed can be gone on with, and its trials can be
// shared out among machines.
//
// It knows no cluster: a Prover does the trials. Start with Run.
package prove
