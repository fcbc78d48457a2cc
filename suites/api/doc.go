// Package api holds the cases of the API alone: the objects the API server accepts and rejects. They need no node, so
// they also run on a bare control plane.
//
// A case with a table of rules judges it with rules.go: each row pairs an invalid object, with the expected field and
// reason, with the nearest valid one. Known violations by Kubernetes have a case of their own.
package api
