// Package core holds the cases of DRA's core (KEP-4381): claims, templates, classes, allocation, and the kubelet's
// calls to drivers. One case per file, named after what happens.
package core
