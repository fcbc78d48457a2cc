package allocator

import (
	"context"
	"errors"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

var (
	// ErrInvalidPools: the claims do not fit and at least one pool of the node is
	// invalid, so that this might be the reason. Other nodes may do.
	ErrInvalidPools = errors.New("invalid resource pools were encountered")
	// ErrTooHard: the search was given up after Config.MaxSteps.
	ErrTooHard = errors.New("search for devices given up")
)

// Config is what the demands of all pods have in common.
type Config struct {
	Features inventory.Features
	// Class returns a DeviceClass by name or an error if there is none.
	Class func(name string) (*resourceapi.DeviceClass, error)
	// Compile returns the selector for a CEL expression.
	Compile func(expression string) Selector
	// MaxSteps bounds the search on one node, counted in devices tried; 0 means
	// DefaultMaxSteps.
	MaxSteps int
}

// DefaultMaxSteps is some seconds of search.
const DefaultMaxSteps = 5_000_000

// Selector is a compiled CEL expression.
type Selector interface {
	// Err returns why the expression does not compile, nil if it does.
	Err() error
	// Match says whether a device with this content is selected.
	Match(ctx context.Context, content *inventory.Content) (bool, error)
}

// Demand is what the claims of one pod ask for, checked and prepared once for all
// nodes. It is immutable.
type Demand struct{}

// NewDemand prepares claims without an allocation. Errors are requests that this
// version does not understand or must refuse: features that are off, unknown
// modes, classes that do not exist, more than 32 devices for a claim.
func NewDemand(claims []*resourceapi.ResourceClaim, config Config) (*Demand, error) {
	panic("not implemented")
}

// Problem is one allocation to try: what is asked for, where, and what is taken.
type Problem struct {
	Demand *Demand
	Node   *inventory.Node
	Used   *state.Snapshot
}

// Allocate finds the first fit. That there is none is a Result with a Reason; the
// error means bad input (for the pod as a whole: a selector that fails on a device,
// a constraint that an "all devices" request cannot meet), ErrInvalidPools or
// ErrTooHard (for this node), or the cause of ctx's end. It is safe for
// concurrent use with one Demand.
func Allocate(ctx context.Context, p Problem) (Result, error) {
	panic("not implemented")
}

// Result is the outcome of Allocate.
type Result struct{}

// Fits says whether all claims can get their devices.
func (r Result) Fits() bool { panic("not implemented") }

// Reason says why the claims do not fit, nil if they do.
func (r Result) Reason() *Reason { panic("not implemented") }

// Subrequest returns the index of the alternative that was chosen for a request
// with firstAvailable, 0 for other requests.
func (r Result) Subrequest(claim, request int) int { panic("not implemented") }

// Allocations returns what goes into the claims' status, in the order of the
// demand's claims. newShareID makes the IDs of shares of devices that several
// claims can have.
func (r Result) Allocations(newShareID func() types.UID) []resourceapi.AllocationResult {
	panic("not implemented")
}

// Reason says which request could not be satisfied and what became of the devices
// that the node can reach.
type Reason struct {
	// Claim is "namespace/name", Request the name as in an allocation result.
	Claim, Request string
	// Wanted is how many devices the request asks for.
	Wanted int
	// Devices is how many there are; the rest is how many of them were lost to
	// what, each device counted once, in this order.
	Devices, Selectors, Allocated, Tainted, Capacity, Counters, Constraints int
}

// String returns one line for the pod's message.
func (r *Reason) String() string { panic("not implemented") }
