// Package cncf renders a conformance report as what the AI conformance programme of the
// CNCF takes (github.com/cncf/k8s-ai-conformance): results as "go test" writes them, a
// README, and a part of PRODUCT.yaml. Tests have names of this project's own.
package cncf
