package spec

// Companion names a program that a run starts for its cases beside the cluster's own components.
type Companion string

// The companions there are.
const (
	// FabricCompanion starts composable fabrics with their controllers.
	FabricCompanion Companion = "fabric"
	// WhatIfCompanion answers what-if questions about nodes.
	WhatIfCompanion Companion = "what-if"
	// ClassicCompanion starts schedulers and drivers of classic DRA.
	ClassicCompanion Companion = "classic"
)
