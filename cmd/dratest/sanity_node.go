package main

import (
	"context"
	"net"

	"github.com/dra-conformance/dratest/drivers/registration"
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// onNode is a driver on another machine, which dra-sim's agent there leads to.
type onNode struct {
	agents       *client.Client
	node, driver string
}

var (
	_ sanity.Subject  = onNode{}
	_ sanity.Registry = onNode{}
	_ sanity.Files    = onNode{}
)

// Dial implements sanity.Subject.
func (n onNode) Dial(ctx context.Context) (net.Conn, error) {
	return n.agents.DialPlugin(ctx, n.node, n.driver)
}

// Specs implements sanity.Subject.
func (n onNode) Specs(ctx context.Context) (map[string][]byte, error) {
	return n.agents.Specs(ctx, n.node)
}

// RemoveSpec implements sanity.Subject.
func (n onNode) RemoveSpec(ctx context.Context, path string) error {
	return n.agents.RemoveSpec(ctx, n.node, path)
}

// ObstructSpec implements sanity.Subject.
func (n onNode) ObstructSpec(ctx context.Context, path string) error {
	return n.agents.ObstructSpec(ctx, n.node, path)
}

// Registrations implements sanity.Registry.
func (n onNode) Registrations(ctx context.Context) ([]registration.Socket, error) {
	return n.agents.Registrations(ctx, n.node)
}

// Damage implements sanity.Files.
func (n onNode) Damage(ctx context.Context, path string) error {
	return n.agents.Damage(ctx, n.node, path)
}

// Restore implements sanity.Files.
func (n onNode) Restore(ctx context.Context, path string) error {
	return n.agents.Restore(ctx, n.node, path)
}
