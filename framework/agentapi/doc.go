// Package agentapi is the API of the agent that dratest runs on each node: one gRPC service,
// defined in agent.proto. The generated AgentClient is what package harness asks; drivers/sim
// implements the server, drivers/sim/client leads to it.
//
// Start with agent.proto; calls.go has the calls whose plain data travels as JSON.
package agentapi
