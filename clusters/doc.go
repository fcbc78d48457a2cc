// Package clusters says what a provider of test clusters is. The providers
// themselves are kind (makes clusters on this machine) and existing (takes a
// kubeconfig); images, host and versions are what kind builds on.
package clusters
