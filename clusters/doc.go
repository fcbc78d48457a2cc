// Package clusters says what a provider of test clusters is. The providers
// themselves are kind (makes clusters of containers on this machine), controlplane
// (runs a control plane as processes) and existing (takes a kubeconfig); images,
// host and versions are what they build on.
package clusters
