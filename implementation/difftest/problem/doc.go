// Package problem is one question for an allocator as plain data: the claims of a
// pod, the nodes it may go to, what is published there. Start at Problem.
package problem
