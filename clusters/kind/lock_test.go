package kind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

func TestLockNamesItsHolder(t *testing.T) {
	p, _, _, _ := setup(t)
	release, err := p.Lock("x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Create(t.Context(), clusters.Config{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("got error %v", err)
	}
	if _, err := p.Lock("y"); err != nil {
		t.Errorf("another cluster: %v", err)
	}
	release()
	release, err = p.Lock("x")
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	release()
	if _, err := os.Stat(filepath.Join(p.State, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of a cluster that never was is left: %v", err)
	}
}

// The lock's file is removed with its folder while others may have it open.
func TestLockIsHeldByOneAtATime(t *testing.T) {
	s := store{dir: t.TempDir()}
	var holders, got atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				release, err := s.lock("x")
				if err != nil {
					continue
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				got.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	wg.Wait()
	if got.Load() == 0 {
		t.Error("nobody ever got the lock")
	}
}

// A run uses its cluster, exports and deletes it, while it keeps others away.
func TestClusterIsUsedByItsHolder(t *testing.T) {
	p, e, _, _ := setup(t)
	e.add("x", true, created(), "a")
	remember(t, p, record{Name: "x", Created: created(), Containers: []string{"a"}, Temporary: true})
	if _, err := p.Lock("x"); err != nil {
		t.Fatal(err)
	}
	other := &Provider{State: p.State, engine: e, maker: p.maker}
	if _, err := other.Create(t.Context(), clusters.Config{Name: "x"}); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("another process makes it: %v", err)
	}
	if err := other.Delete(t.Context(), "x"); !errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("another process deletes it: %v", err)
	}
	if err := p.Export("x", "config"); err != nil {
		t.Errorf("its maker exports it: %v", err)
	}
	if err := p.Delete(t.Context(), "x"); err != nil || len(e.names()) > 0 {
		t.Errorf("its maker deletes it: %v, left %v", err, e.names())
	}
	release, err := other.Lock("x")
	if err != nil {
		t.Fatalf("it is held after it was deleted: %v", err)
	}
	release()
}
