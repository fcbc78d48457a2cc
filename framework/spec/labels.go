package spec

// LabelManagedBy marks every object that dratest creates, with the value
// ManagedBy: what carries it may be removed by dratest, nothing else.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "dratest"

	// SystemNamespace is where what belongs to all cases runs. It is removed last:
	// without the test driver's agents, pods that use a claim cannot end.
	SystemNamespace = "dratest-system"
)
