// Package debian makes the root file system of a node from Debian packages. It
// picks single packages' files out of it, too, for small images that need some
// of them. What is laid on top of it is not known here. Start at Rootfs.
package debian
