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

// Package agentapi is the API of the agent that dratest runs on each node: one gRPC service,
// defined in agent.proto. The generated AgentClient is what package harness asks; drivers/sim
// implements the server, drivers/sim/client leads to it.
//
// Start with agent.proto; calls.go has the calls whose plain data travels as JSON.
package agentapi
