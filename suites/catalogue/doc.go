// Package catalogue generates suites/catalogue.yaml, the list of all cases with promises,
// requirements and needs, and suites/known-issues.md, the known failures of Kubernetes. The
// files are committed to make added and dropped cases visible in reviews; a test compares them
// with the code.
//
// RenderCases and RenderMutants generate the documents of "dratest list -o markdown".
package catalogue
