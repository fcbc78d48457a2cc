// Package kind makes test clusters on this machine: real Kubernetes nodes in
// containers, through kind's Go package, with a pod network that needs no image.
//
// It does not build node images (Images provides them) and neither installs nor
// starts the container engine (clusters/host does). It removes only what it made.
//
// Start with Provider; render.go is what a cluster looks like, state.go what is
// remembered about it.
package kind
