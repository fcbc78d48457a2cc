// Package sign signs conformance reports and verifies such signatures. A signature is an
// in-toto statement with a test result as its predicate
// (https://in-toto.io/attestation/test-result/v0.1), in a DSSE envelope, made with an
// ed25519 key.
package sign
