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

package spec

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Fault is injected into the calls of a driver instance.
type Fault struct {
	Method Method    `json:"method"`
	Kind   FaultKind `json:"kind"`
	// Claim restricts the fault to the claim of this name; empty means all.
	Claim string `json:"claim,omitempty"`
	// Times is the number of affected calls; zero means until the faults are replaced.
	Times int `json:"times,omitempty"`
	// Delay is how long FaultSlow takes.
	Delay time.Duration `json:"delay,omitempty"`
	// Message is the error's text for FaultClaimError and FaultCallError.
	Message string `json:"message,omitempty"`
	// Code is the gRPC code of FaultCallError by name, as "Unavailable"; empty means "Internal".
	Code string `json:"code,omitempty"`
}

// FaultKind is a kind of fault in a driver's answers to the kubelet.
type FaultKind string

// The kinds of faults; faultKinds describes them.
const (
	FaultClaimError       FaultKind = "ClaimError"
	FaultCallError        FaultKind = "CallError"
	FaultHang             FaultKind = "Hang"
	FaultSlow             FaultKind = "Slow"
	FaultBusy             FaultKind = "Busy"
	FaultNoAnswer         FaultKind = "NoAnswer"
	FaultWrongClaim       FaultKind = "WrongClaim"
	FaultWrongDevice      FaultKind = "WrongDevice"
	FaultSwapped          FaultKind = "Swapped"
	FaultAllRequests      FaultKind = "AllRequests"
	FaultOtherDevice      FaultKind = "OtherDevice"
	FaultNoParameters     FaultKind = "NoParameters"
	FaultMixedParameters  FaultKind = "MixedParameters"
	FaultErrorWithDevices FaultKind = "ErrorWithDevices"
	FaultNoCDI            FaultKind = "NoCDI"
	FaultAllCDI           FaultKind = "AllCDI"
	FaultNothingDone      FaultKind = "NothingDone"
)

// faultKind describes a kind of fault. A driver with that fault in each call is a mutant.
type faultKind struct {
	Kind FaultKind
	// mutant is the suffix of the mutant's ID; what is the verb phrase between "the driver" and the method. Busy drivers
	// are correct, and no mutants.
	mutant, what string
	// prepareOnly: it has no effect on answers to unprepare.
	prepareOnly bool
	// several: claims with a single request do not show it.
	several bool
	// delay and message are those of the mutant's fault.
	delay   time.Duration
	message string
}

// beyondKubelet exceeds the kubelet's timeout of 45 s for a driver (k8s.io/kubernetes v1.37.1
// pkg/kubelet/cm/dra/plugin/dra_plugin.go).
const beyondKubelet = 50 * time.Second

const onPurpose = "broken on purpose"

// faultKinds are all kinds of faults, implemented in drivers/sim/script.
//
//nolint:gochecknoglobals // a table
var faultKinds = []faultKind{
	{Kind: FaultClaimError, mutant: "claim-error", what: "answers an error for each claim to", message: onPurpose},
	{Kind: FaultCallError, mutant: "call-error", what: "fails each call to", message: onPurpose},
	{Kind: FaultHang, mutant: "hang", what: "never answers a call to"},
	{Kind: FaultSlow, mutant: "slow", what: "takes longer than the kubelet waits to", delay: beyondKubelet},
	{Kind: FaultNoAnswer, mutant: "no-answer", what: "leaves the claim out of its answer to"},
	{Kind: FaultWrongClaim, mutant: "wrong-claim", what: "answers for another claim when asked to"},
	{Kind: FaultWrongDevice, mutant: "wrong-device", what: "returns nonexistent CDI devices when asked to", prepareOnly: true},
	{Kind: FaultNothingDone, mutant: "nothing-done", what: "says success and does nothing when asked to"},
	{Kind: FaultSwapped, mutant: "swapped", what: "gives each device the CDI devices of the claim's next one when asked to", prepareOnly: true, several: true},
	{Kind: FaultAllRequests, mutant: "all-requests", what: "gives all devices of a claim to containers referring to one request when asked to", prepareOnly: true, several: true},
	{Kind: FaultOtherDevice, mutant: "other-device", what: "reports unallocated devices to containers when asked to", prepareOnly: true},
	{Kind: FaultNoParameters, mutant: "no-parameters", what: "ignores parameters when asked to", prepareOnly: true},
	{Kind: FaultErrorWithDevices, mutant: "error-with-devices", what: "answers an error for each claim beside its devices when asked to", prepareOnly: true, message: onPurpose},
	{Kind: FaultNoCDI, mutant: "no-cdi", what: "names no CDI devices when asked to", prepareOnly: true},
	{Kind: FaultAllCDI, mutant: "all-cdi", what: "gives each device the CDI devices of all of the claim's when asked to", prepareOnly: true, several: true},
	{Kind: FaultMixedParameters, mutant: "mixed-parameters", what: "takes the class's parameters for the claim's when asked to", prepareOnly: true},
	{Kind: FaultBusy, prepareOnly: true}, // the right answer after a second of work
}

// FaultKinds lists all kinds of faults of a method.
func FaultKinds(of Method) []FaultKind {
	var kinds []FaultKind
	for _, k := range faultKinds {
		if of == Prepare || !k.prepareOnly {
			kinds = append(kinds, k.Kind)
		}
	}
	return kinds
}

// Validate returns all problems at once.
func (f Fault) Validate() error {
	var errs []error
	if f.Method != Prepare && f.Method != Unprepare {
		errs = append(errs, fmt.Errorf("unknown method %q, known are %s and %s", f.Method, Prepare, Unprepare))
	}
	if known := FaultKinds(f.Method); !slices.Contains(known, f.Kind) {
		errs = append(errs, fmt.Errorf("unknown kind %q of %s, known are %v", f.Kind, f.Method, known))
	}
	if f.Times < 0 {
		errs = append(errs, errors.New("times must not be negative"))
	}
	if (f.Delay > 0) != (f.Kind == FaultSlow) {
		errs = append(errs, fmt.Errorf("delay must be positive for %s and zero for other kinds", FaultSlow))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("fault %s for %s: %w", f.Kind, f.Method, errors.Join(errs...))
}
