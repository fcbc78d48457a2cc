// Package apitest is an API server for the tests of controllers: a fake clientset that
// names objects, gives them UIDs and versions, refuses updates of old versions and
// deletions of other objects of the same name, keeps objects with finalizers, and replays
// deletions to watches.
// Cluster is such a server with a controller. Start at Story.
package apitest
