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

package agentapi

// Version of the service. It changes with every change that an older peer cannot cope with.
const Version = "10"

// VersionHeader carries Version in the header of every answer.
const VersionHeader = "dratest-protocol"

// Port is where the agent listens, on the loopback address of its pod.
const Port = 7471

// Limits of messages, in bytes: a profile of some thousand devices, evidence of a busy node.
const (
	MaxRequest = 16 << 20
	MaxAnswer  = 64 << 20
)
