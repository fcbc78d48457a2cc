// Package problem is an allocation problem as plain data: the claims of a pod, candidate nodes, and
// published devices. Start at Problem.
package problem
