/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package difftest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Kind is the result of an allocation attempt.
type Kind int

// The kinds, in the order of the report's columns.
const (
	Fits Kind = iota
	DoesNotFit
	// PodError ends the attempt for the pod, regardless of other nodes.
	PodError
	// NodeError excludes only this node.
	NodeError
	// TooSlow is a timeout or step limit.
	TooSlow
	// Crash is a panic.
	Crash
	numKinds
)

// String returns the kind's name in reports.
func (k Kind) String() string {
	return [numKinds]string{"fits", "does not fit", "error for the pod", "error for the node", "too slow", "crash"}[k]
}

// Answer is an allocator's answer for one node.
type Answer struct {
	Kind Kind
	// Err is set for errors and crashes.
	Err error
	// Allocations are set if the claims fit, one per claim.
	Allocations []resourceapi.AllocationResult
	// Note is an additional explanation.
	Note string
}

// String formats the answer in one or two lines.
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

// Allocator solves a problem for each of its nodes.
type Allocator interface {
	Solve(ctx context.Context, p *problem.Problem, patience Patience) []Answer
}

// Patience returns an allocator's timeout for a node, by index. Timeouts of nodes are independent.
type Patience func(node int) time.Duration

// For returns the same timeout for every node.
func For(d time.Duration) Patience { return func(int) time.Duration { return d } }

// failEverywhere is the answer of an allocator that fails to start.
func failEverywhere(p *problem.Problem, kind Kind, err error) []Answer {
	answers := make([]Answer, len(p.Nodes))
	for i := range answers {
		answers[i] = Answer{Kind: kind, Err: err}
	}
	return answers
}

// guard converts a panic to an answer.
func guard(answer *Answer) {
	if r := recover(); r != nil {
		*answer = Answer{Kind: Crash, Err: fmt.Errorf("panic: %v\n%s", r, shortStack())}
	}
}
