// Package csi is a CSI driver as far as a kubelet looks at one that registers: it has an
// endpoint, says on which node it is, and has no volumes. A vendor may call its CSI driver and
// its DRA driver the same.
//
// Start with Start.
package csi
