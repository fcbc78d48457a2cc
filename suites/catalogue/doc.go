// Package catalogue makes suites/catalogue.yaml, the list of all cases with what
// they check, require and need. The file is committed, so that adding or dropping
// a case is a visible change; a test compares it with the code.
package catalogue
