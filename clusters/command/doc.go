// Package command runs the external programs that cluster work needs (docker,
// go, debootstrap). It adds to os/exec what all of them want: the end of the
// program's output in the error, its whole process group ended on cancellation.
// Start at Run.
package command
