// Package upstream notices when a new version of Kubernetes changes what dra-kubelet
// does again or relies on. testdata/functions.txt lists those functions, with a digest
// of their text and what to read again when it differs. It has only tests.
package upstream
