// Package api holds the cases of the API alone: what the API server lets through and
// what it refuses. They need no node, so that they also run on a control plane.
//
// Where a rule is a table the case judges it (rules.go): each row has something that must
// be refused, with the field and the reason, beside the nearest that must be accepted.
// What Kubernetes is known to accept against its own rules has a case of its own.
package api
