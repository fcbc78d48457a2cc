// Package extension has what plugins need to extend kube-scheduler, whichever kind of
// claims they allocate. Start at Shared.
package extension
