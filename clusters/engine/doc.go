// Package engine talks to the container engine through its command line client.
// It knows images and containers only as far as the cluster packages need them.
// It neither installs nor starts an engine (clusters/host does). Start at Engine.
package engine
