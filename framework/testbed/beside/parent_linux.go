package beside

import "syscall"

// withParent has a process end with the thread that starts it, so that nothing remains of
// a run that was killed.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
