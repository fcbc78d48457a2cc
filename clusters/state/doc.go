// Package state is what providers remember of their clusters in folders of this
// user, one folder per cluster, and the locks that keep other processes from it. It
// does not know what a cluster consists of. Start at Store.
package state
