// Package source finds what Kubernetes is built from: a checkout, with a key that changes
// with every file that is compiled (Open), or the module of a release, which "make
// add-version" keeps in the repository and a pre-release gets for one build (Fetch). Fetch
// needs the go command and a module proxy.
//
// It builds nothing; clusters/images/modules does.
package source
