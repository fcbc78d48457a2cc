// Package job runs dratest inside of a cluster, as a Job or as a plugin of sonobuoy: what
// to apply there (Manifests, Sonobuoy), and how the results come back (Fetch, Done).
//
// The Job's pod has two containers: one runs the cases, the other keeps the pod, and so
// the volume with the results, until they have been fetched. That needs no storage but the
// node's, and no container that serves requests.
package job
