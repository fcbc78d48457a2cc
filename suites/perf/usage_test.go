package perf

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// What the clock says is what getrusage(2) says, and finer than a tick of /proc.
func TestCPUTime(t *testing.T) {
	begin := usedByThis(t)
	before, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for usedByThis(t)-begin < 3*time.Millisecond {
	}
	after, err := cpuTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if got, most := after-before, (usedByThis(t) - begin).Seconds(); got <= 0 || got > most {
		t.Errorf("%gs, of %gs that this process has used since", got, most)
	}
	if _, err := cpuTime(1 << 21); err == nil {
		t.Error("a process that is not there has CPU time")
	}
}

func usedByThis(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
