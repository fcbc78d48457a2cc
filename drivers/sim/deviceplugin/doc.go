// Package deviceplugin offers devices through the kubelet's device plugin API, as
// drivers did before there was DRA. With it a driver instance can serve an extended
// resource in the old way on one node and in the new way on another, or be moved
// from one to the other (KEP-5004, Upgrade / Downgrade Strategy).
package deviceplugin
