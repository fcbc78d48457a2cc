// Package release makes the module that a Kubernetes release is built from, out of
// the go.mod that the release itself has: what "make add-version" keeps in the
// repository, and what a pre-release is built from without being kept. It needs the
// go command and a module proxy. Start at Fetch.
package release
