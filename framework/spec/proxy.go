package spec

// Proxy is what a proxy between a kubelet and a driver does to calls, beside recording them;
// its zero value forwards them as they are.
type Proxy struct {
	// Faults are those of a driver that need no help of it, such as FaultCallError, with
	// which a call does not come to the driver, and FaultSlow.
	Faults []Fault `json:"faults,omitempty"`
	// Twice forwards each call twice; the kubelet gets the second answer.
	Twice bool `json:"twice,omitempty"`
	// KillAfter kills the driver's process once, when it has answered a call of this method,
	// and the kubelet gets no answer.
	KillAfter Method `json:"killAfter,omitempty"`
}
