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

package script

import (
	"slices"
	"sync"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// maxCalls bounds the record: older calls are dropped.
const maxCalls = 10_000

// Script has the faults of one driver instance and the record of its calls. It is safe for concurrent use, also by
// several gRPC servers during an upgrade of the instance. The zero value is ready.
type Script struct {
	// Mutant is the fault of each call without another fault; its zero value is none.
	Mutant spec.Fault

	mutex  sync.Mutex
	faults []spec.Fault
	// replaced is closed when the faults are replaced, to wake hanging calls.
	replaced chan struct{}
	calls    []*spec.Call
}

// SetFaults replaces all faults and releases hanging calls. An error names every invalid fault; then nothing changes.
func (s *Script) SetFaults(faults []spec.Fault) error {
	if err := validate(faults); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.faults = slices.Clone(faults)
	if s.replaced != nil {
		close(s.replaced)
	}
	s.replaced = make(chan struct{})
	return nil
}

// Calls returns a copy of the record, oldest call first.
func (s *Script) Calls() []spec.Call {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	calls := make([]spec.Call, 0, len(s.calls))
	for _, c := range s.calls {
		call := *c
		call.Claims = slices.Clone(c.Claims)
		calls = append(calls, call)
	}
	return calls
}

// begin records a call and takes the first matching fault; the channel is closed when the faults are replaced.
func (s *Script) begin(c *call) (*spec.Call, spec.Fault, <-chan struct{}) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.replaced == nil {
		s.replaced = make(chan struct{})
	}
	fault := s.take(c)
	record := &spec.Call{Method: c.method, GRPC: c.grpc, Start: time.Now(), InProgress: true, Fault: fault.Kind}
	for _, claim := range c.claims {
		record.Claims = append(record.Claims, spec.ClaimCall{Namespace: claim.Namespace, Name: claim.Name, UID: uid(claim)})
	}
	if len(s.calls) == maxCalls {
		s.calls = slices.Delete(s.calls, 0, 1)
	}
	s.calls = append(s.calls, record)
	return record, fault, s.replaced
}

// take finds the first fault for c and counts it down.
func (s *Script) take(c *call) spec.Fault {
	for i := range s.faults {
		fault := s.faults[i]
		if !matches(fault, c) {
			continue
		}
		switch fault.Times {
		case 0:
		case 1:
			s.faults = slices.Delete(s.faults, i, i+1)
		default:
			s.faults[i].Times--
		}
		return fault
	}
	if matches(s.Mutant, c) {
		return s.Mutant
	}
	return spec.Fault{}
}

// end completes the record of a call with its answers.
func (s *Script) end(record *spec.Call, answers map[string]*answer, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	record.Took = time.Since(record.Start)
	record.InProgress = false
	if err != nil {
		record.Error = err.Error()
		return
	}
	for i := range record.Claims {
		claim := &record.Claims[i]
		a := answers[string(claim.UID)]
		if a == nil {
			claim.Error = "no answer"
			continue
		}
		claim.Error = a.err
		for _, device := range a.devices {
			claim.CDIDevices = append(claim.CDIDevices, device.CdiDeviceIds...)
		}
	}
}
