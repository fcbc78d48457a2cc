// Package apitest is an API server for controller tests: a fake clientset that generates names,
// UIDs and resource versions, rejects stale updates and deletions with a wrong UID, honors
// finalizers, and replays deletions to watches. Cluster runs a controller against it. Start at
// Story.
package apitest
