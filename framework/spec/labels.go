package spec

// LabelManagedBy marks every object that dratest creates, with the value
// ManagedBy: what carries it may be removed by dratest, nothing else.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "dratest"
)
