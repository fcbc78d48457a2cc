// Package pools reads what a driver publishes: the pools of its ResourceSlices, and which of
// their devices a claim could have now. It is pure.
//
// Start with Devices.
package pools
