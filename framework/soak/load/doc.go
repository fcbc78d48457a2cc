// Package load says which pods a soak makes: units of one or two pods with their
// claims, of several kinds, and the devices that they ask for. It is pure, and
// the same seed gives the same units.
//
// It talks to no cluster. Start with Generator and Names.
package load
