// Package objects builds the Kubernetes objects that cases make: claims,
// templates, classes and pods. Every function returns a fresh object, which the
// caller may change; none talks to a cluster.
package objects
