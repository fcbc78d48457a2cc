// Package api holds the cases of the API alone: what the API server lets through and
// what it refuses. They need no node, so that they also run on a control plane.
package api
