// Package forward leads to the ports of pods through the API server, also to those where a
// program listens on the loopback address only.
package forward
