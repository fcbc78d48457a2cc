// Package fabric simulates what composable hardware stands behind: devices that several
// clusters share, and that a manager attaches to nodes and detaches again over an HTTP
// API. What is asked for takes time and may fail, as a script says; devices appear, die
// and vanish.
//
// State is pure: a request, a time and what there is go in, what there is then comes out.
// The server keeps it in a file, so that a fabric that was killed goes on.
//
// Start with Server, by hand with the command dra-fabric.
package fabric
