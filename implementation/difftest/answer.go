package difftest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/difftest/problem"
)

// Kind says how an attempt to allocate ended.
type Kind int

// The kinds, in the order of the report's columns.
const (
	Fits Kind = iota
	DoesNotFit
	// PodError ends the attempt for the pod, whatever other nodes would say.
	PodError
	// NodeError means that only this node cannot be used.
	NodeError
	// TooSlow: time or steps were used up.
	TooSlow
	// Crash is a panic.
	Crash
	numKinds
)

// String returns the kind as it is written in reports.
func (k Kind) String() string {
	return [numKinds]string{"fits", "does not fit", "error for the pod", "error for the node", "too slow", "crash"}[k]
}

// Answer is what an allocator says about one node.
type Answer struct {
	Kind Kind
	// Err is set for errors and crashes.
	Err error
	// Allocations are set if the claims fit, one for each claim.
	Allocations []resourceapi.AllocationResult
	// Note is more about an answer, for people.
	Note string
}

// String returns a line or two for people.
func (a Answer) String() string {
	switch {
	case a.Err != nil:
		return fmt.Sprintf("%s: %v", a.Kind, a.Err)
	case a.Kind != Fits:
		return strings.TrimSpace(fmt.Sprintf("%s %s", a.Kind, a.Note))
	}
	text, err := json.Marshal(a.Allocations)
	if err != nil {
		return err.Error()
	}
	return "fits: " + string(text)
}

// Allocator answers a problem for each of its nodes.
type Allocator interface {
	Solve(ctx context.Context, p *problem.Problem, patience Patience) []Answer
}

// Patience is how long an allocator may take for a node, given by its index. What
// one node does not use is not for the others, and the other way round.
type Patience func(node int) time.Duration

// For is the same patience for every node.
func For(d time.Duration) Patience { return func(int) time.Duration { return d } }

// failEverywhere is the answer of an allocator that cannot even start.
func failEverywhere(p *problem.Problem, kind Kind, err error) []Answer {
	answers := make([]Answer, len(p.Nodes))
	for i := range answers {
		answers[i] = Answer{Kind: kind, Err: err}
	}
	return answers
}

// guard turns a panic into an answer.
func guard(answer *Answer) {
	if r := recover(); r != nil {
		*answer = Answer{Kind: Crash, Err: fmt.Errorf("panic: %v\n%s", r, shortStack())}
	}
}
