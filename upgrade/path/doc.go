// Package path finds the steps from one Kubernetes version to another, and back: in
// which order the components of a cluster change so that the version skew policy
// (https://kubernetes.io/releases/version-skew-policy) holds before, between and
// after all steps, and in which order a feature gate is switched everywhere. What
// is not allowed is refused with the rule that forbids it.
//
// It is pure: it changes nothing and knows no cluster. Start with Find; rules.go
// has the policy, gates.go what gates ask of each other.
package path
