/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

import (
	"context"
	"net"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/sim/client"
	"github.com/dra-conformance/dratest/framework/agentapi"
	"github.com/dra-conformance/dratest/suites/sanity"
)

// onNode is a driver on another machine, reached through dra-sim's agent.
type onNode struct {
	agents       *client.Client
	node, driver string
}

var (
	_ sanity.NodeAccess = onNode{}
	_ sanity.Registry   = onNode{}
	_ sanity.Files      = onNode{}
)

// Dial implements sanity.NodeAccess.
func (n onNode) Dial(ctx context.Context) (net.Conn, error) {
	return n.agents.DialPlugin(ctx, n.node, n.driver)
}

func (n onNode) file(path string) *agentapi.FileRequest {
	return &agentapi.FileRequest{Node: n.node, Path: path}
}

// Specs implements sanity.NodeAccess.
func (n onNode) Specs(ctx context.Context) (map[string][]byte, error) {
	specs, err := n.agents.ListSpecs(ctx, &agentapi.NodeRequest{Node: n.node})
	return specs.GetFiles(), err
}

// RemoveSpec implements sanity.NodeAccess.
func (n onNode) RemoveSpec(ctx context.Context, path string) error {
	_, err := n.agents.RemoveSpec(ctx, n.file(path))
	return err
}

// ObstructSpec implements sanity.NodeAccess.
func (n onNode) ObstructSpec(ctx context.Context, path string) error {
	_, err := n.agents.ObstructSpec(ctx, n.file(path))
	return err
}

// Registrations implements sanity.Registry.
func (n onNode) Registrations(ctx context.Context) ([]nodefiles.Socket, error) {
	return agentapi.Decode[[]nodefiles.Socket](n.agents.ListRegistrations(ctx, &agentapi.NodeRequest{Node: n.node}))
}

// Damage implements sanity.Files.
func (n onNode) Damage(ctx context.Context, path string) error {
	_, err := n.agents.DamageFile(ctx, n.file(path))
	return err
}

// Restore implements sanity.Files.
func (n onNode) Restore(ctx context.Context, path string) error {
	_, err := n.agents.RestoreFile(ctx, n.file(path))
	return err
}
