// Package mutants builds bugs of DRA drivers into dra-sim, one at a time, so that it can be
// shown that they are noticed. Most are told by the issue of the published driver that had
// them, and what is here only breaks dra-sim in the same way; the others break a promise
// that a check or a case is about, and that no published driver is known to have broken.
//
// Start with All; wrap.go has what the mutants are made of.
package mutants
