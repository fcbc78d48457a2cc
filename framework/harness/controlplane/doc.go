// Package controlplane reads the metrics of schedulers, controller managers and API servers for cases.
package controlplane
