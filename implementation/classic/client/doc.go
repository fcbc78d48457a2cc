// Package client reads and writes the objects of classic DRA with their types, as
// client-go does for Kubernetes' own. fake is the same for unit tests.
package client
