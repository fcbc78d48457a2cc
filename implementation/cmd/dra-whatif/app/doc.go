// Package app is the command dra-whatif: it reads a cluster or an archive of one, and
// groups of nodes from a file, asks package simulation, and tells what it said. Start
// at Run.
package app
