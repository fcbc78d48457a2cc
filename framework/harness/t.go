package harness

// T is what a case works with.
type T struct{}
