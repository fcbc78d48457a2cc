// Package fabric holds the cases of devices that several clusters share and that a
// controller attaches to nodes when pods get them (KEP-5007, section "Composable
// Controller Design Overview"). One case per file, named after what happens.
//
// A case has a fabric and the controller dra-composable-controller, both on the machine
// that dratest runs on; what a driver publishes of a node it publishes itself.
package fabric
