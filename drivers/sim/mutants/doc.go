// Package mutants lists bugs of DRA drivers that dra-sim can have, one at a time, to show that
// they are noticed. Most are told by the issue of the published driver that had
// them, and what is here only breaks dra-sim in the same way; the others break a promise
// that a check or a case is about, and that no published driver is known to have broken.
//
// Start with All; package broken has what each does.
package mutants
