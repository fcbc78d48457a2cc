// Package whatif holds the cases that compare the predictions of dra-whatif with the cluster's scheduler: nodes are
// added as predicted, one less at first (KEP-4381, section "Simulation with CA"). Nodes are simulated except in
// real_nodes.go. Start at expectTrue; kinds.go has a case for each kind of claim.
package whatif
