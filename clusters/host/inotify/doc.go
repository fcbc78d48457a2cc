// Package inotify tells how much is left of the kernel's limit on inotify
// instances per user. All nodes of all clusters on a machine share root's, and
// where it is used up kubelets do not start. Start with Read.
package inotify
