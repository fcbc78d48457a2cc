// Package catalogue makes suites/catalogue.yaml, the list of all cases with what
// they check, require and need, and suites/known-issues.md, those that Kubernetes is
// known to fail. The files are committed, so that adding or dropping a case is a
// visible change; a test compares them with the code.
//
// RenderCases and RenderMutants make the documents of "dratest list -o markdown".
package catalogue
