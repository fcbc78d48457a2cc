package main

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Under timeout a run was told twice to end, and did not remove its cluster.
func TestSignalsThatComeTogetherAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan os.Signal), make(chan os.Signal, 8)
		go passOn(in, out)
		in <- os.Interrupt
		in <- os.Interrupt
		synctest.Wait()
		if len(out) != 1 {
			t.Errorf("%d signals were passed on of two that came together, want one", len(out))
		}
		time.Sleep(2 * together)
		in <- os.Interrupt
		synctest.Wait()
		if len(out) != 2 {
			t.Errorf("%d signals were passed on, want also the one that came later", len(out))
		}
		close(in)
	})
}
