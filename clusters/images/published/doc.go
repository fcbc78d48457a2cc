// Package published is about the node images that kind publishes: which of them
// serve a version, whether a registry has one, and whether to take it or to build
// an image instead. It pulls nothing; clusters/images does. Start at Choose.
package published
