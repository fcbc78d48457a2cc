// Package matchers has Gomega matchers for what cases say again and again: which
// devices a claim got, whom it is reserved for, what a container sees of them.
// They match values that somebody has read already, and wait for nothing.
//
// Start with HaveDevices and SeeDevices.
package matchers
