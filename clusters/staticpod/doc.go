// Package staticpod replaces what a control plane's static pods run, on a node of
// a running cluster, and waits until the new component answers and the old one is
// gone.
//
// It neither builds nor loads images, and knows nothing of stacks: who calls it
// says what is to run. Start with Replace; manifest.go has the changes that can be
// made to a manifest, and undone.
package staticpod
