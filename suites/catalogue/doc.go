// Package catalogue makes suites/catalogue.yaml, the list of all cases with what
// they check, require and need, docs/catalogue.md, the same for people, docs/mutants.md,
// what cases were seen to notice, and suites/known-issues.md, those that Kubernetes is
// known to fail. The files are committed, so that adding or dropping a case is a
// visible change; a test compares them with the code.
package catalogue
