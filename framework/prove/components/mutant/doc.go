// Package mutant says which of a program's mutants is on. Its source is compiled into
// this project's components where they are built with mutants, as a package of theirs;
// nothing else imports it.
package mutant
