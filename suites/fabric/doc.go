// Package fabric holds the cases of devices shared by several clusters; a controller attaches them to nodes for pods
// (KEP-5007, section "Composable Controller Design Overview"). One case per file, named after what happens.
//
// Each case runs a fabric and the controller dra-composable-controller on dratest's machine, and publishes the
// ResourceSlices of node drivers itself.
package fabric
