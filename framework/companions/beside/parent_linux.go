package beside

import "syscall"

// withParent has a process end with the thread that starts it, so that nothing remains of
// a run that was killed. It has a process group of its own, so that Ctrl-C in a terminal is
// for the run alone, which ends it.
func withParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
