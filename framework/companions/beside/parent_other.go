//go:build !linux

package beside

import "syscall"

// withParent is for Linux.
func withParent() *syscall.SysProcAttr { return nil }
