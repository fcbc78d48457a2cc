// Package suite is about the images that a run needs in a cluster: their names, also where
// a mirror has them (In), and an archive of those that are made of this project's own
// programs (Archive), for registries and nodes.
//
// Node images, which have them already, are package images'.
package suite
