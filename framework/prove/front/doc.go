// Package front has what stands before an API server, for proofs that listen to requests or
// change what comes of them. Start with Serve.
package front
