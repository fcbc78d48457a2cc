// Package whatif holds the cases that hold what dra-whatif says of a cluster against what
// its scheduler does: nodes are added as foretold, one less than that at first (KEP-4381,
// section "Simulation with CA"). Nodes are simulated ones but in real_nodes.go. Start at
// expectTrue; kinds.go has a case for each kind of claim.
package whatif
