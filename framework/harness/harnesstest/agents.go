package harnesstest

import (
	"context"
	"slices"
	"sync"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Agents are those of nodes on which every driver works. They record what they start and stop, as
// "node driver", in order.
type Agents struct {
	mu               sync.Mutex
	Started, Stopped []string
}

func (a *Agents) record(list *[]string, node, driver string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*list = append(*list, node+" "+driver)
	slices.Sort(*list)
}

// Start implements harness.Drivers.
func (a *Agents) Start(_ context.Context, node string, c spec.DriverConfig) error {
	a.record(&a.Started, node, c.Name)
	return nil
}

// Change implements harness.Drivers.
func (*Agents) Change(context.Context, string, string, spec.DriverChange) error { return nil }

// Status implements harness.Drivers.
func (*Agents) Status(context.Context, string, string) (spec.DriverStatus, error) {
	return spec.DriverStatus{Registered: true}, nil
}

// Stop implements harness.Drivers.
func (a *Agents) Stop(_ context.Context, node, driver string) error {
	a.record(&a.Stopped, node, driver)
	return nil
}
