// Package protocol is what dra-sim's agent and its client agree on: HTTP with
// JSON, over a port-forward to the agent's pod. The messages about drivers are
// those of framework/spec.
package protocol
