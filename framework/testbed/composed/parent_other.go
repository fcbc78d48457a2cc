//go:build !linux

package composed

import "syscall"

// withParent is for Linux.
func withParent() *syscall.SysProcAttr { return nil }
