// Package client is a typed client for the objects of classic DRA, like client-go for Kubernetes'
// own. fake is the same for unit tests.
package client
