// Package client talks to dra-sim's agents: it starts, changes and stops driver
// instances on nodes, and reads evidence from nodes. Requests go through the API
// server's port-forward to the agent's pod; nothing listens on this machine.
//
// It installs nothing (package deploy does). Start with Client; tunnel.go has
// the connections.
package client
