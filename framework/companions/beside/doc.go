// Package beside runs programs of this project for cases, on the machine that dratest runs
// on: a process ends with the one that has started it, and is for the cluster the user that
// the case wants. Start at Start.
package beside
