// Package cdidir reads and changes a node's directories of CDI files, from the node itself
// or from a container that sees them elsewhere. What the files mean is not its business.
//
// Start with Dirs.
package cdidir
