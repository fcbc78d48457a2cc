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
