package faults

import (
	"context"
	"errors"
	"fmt"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/soak"
)

// Switch replaces components of a cluster that was made for the soak.
type Switch struct {
	Switcher clusters.Switcher
	To       clusters.Stack
}

var _ soak.Fault = Switch{}

// Name implements soak.Fault.
func (s Switch) Name() string { return "switch to " + s.To.String() }

// Do returns when the new components work. An interrupted switch leaves the old or
// the new ones.
func (s Switch) Do(ctx context.Context, target soak.Target) error {
	if target.Cluster == "" {
		return errors.New("components can be switched only in a cluster that was made for the soak")
	}
	if _, err := s.Switcher.Switch(ctx, target.Cluster, s.To); err != nil {
		return fmt.Errorf("%s: %w", s.Name(), err)
	}
	return nil
}

// BackAndForth switches the scheduler of a cluster n times, starting with the
// implementation that it does not have.
func BackAndForth(switcher clusters.Switcher, has clusters.Implementation, n int) []soak.Fault {
	var list []soak.Fault
	for range n {
		if has == clusters.Own {
			has = clusters.Stock
		} else {
			has = clusters.Own
		}
		list = append(list, Switch{Switcher: switcher, To: clusters.Stack{Scheduler: has}})
	}
	return list
}
