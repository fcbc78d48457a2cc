package spec

import "time"

// Mutant is a deliberately broken variant of the test driver. A case that lists
// it in Meta.Catches must fail when all drivers are broken that way, which shows
// that the case does notice.
type Mutant struct {
	ID MutantID `json:"id"`
	// What says in a few words what is broken.
	What  string `json:"what"`
	Fault Fault  `json:"fault"`
}

// beyondKubelet is longer than the 45 s that the kubelet waits for a driver
// (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/plugin/dra_plugin.go).
const beyondKubelet = 50 * time.Second

// Mutants are all variants: each way to misbehave for each call.
func Mutants() []Mutant {
	calls := []struct {
		method Method
		prefix MutantID
		text   string
	}{{Prepare, "driver-prepare-", "prepare"}, {Unprepare, "driver-unprepare-", "unprepare"}}
	kinds := []struct {
		kind   FaultKind
		suffix MutantID
		text   string
	}{
		{FaultClaimError, "claim-error", "answers an error for each claim to"},
		{FaultCallError, "call-error", "fails each call to"},
		{FaultHang, "hang", "never answers a call to"},
		{FaultSlow, "slow", "takes longer than the kubelet waits to"},
		{FaultNoAnswer, "no-answer", "leaves the claim out of its answer to"},
		{FaultWrongClaim, "wrong-claim", "answers for another claim when asked to"},
		{FaultWrongDevice, "wrong-device", "names CDI devices that do not exist when asked to"},
		{FaultNothingDone, "nothing-done", "says success and does nothing when asked to"},
		{FaultSwapped, "swapped", "gives each device the CDI devices of the claim's next one when asked to"},
		{FaultAllRequests, "all-requests", "gives all of a claim's devices to containers that name one request when asked to"},
		{FaultOtherDevice, "other-device", "tells containers of devices that are not allocated when asked to"},
		{FaultNoParameters, "no-parameters", "ignores parameters when asked to"},
		{FaultErrorWithDevices, "error-with-devices", "answers an error for each claim beside its devices when asked to"},
		{FaultNoCDI, "no-cdi", "names no CDI devices when asked to"},
		{FaultAllCDI, "all-cdi", "gives each device the CDI devices of all of the claim's when asked to"},
		{FaultMixedParameters, "mixed-parameters", "takes the class's parameters for the claim's when asked to"},
	}
	var mutants []Mutant
	for _, call := range calls {
		for _, k := range kinds {
			if call.method == Unprepare && k.kind.OnDevices() {
				continue
			}
			fault := Fault{Method: call.method, Kind: k.kind}
			switch k.kind {
			case FaultSlow:
				fault.Delay = beyondKubelet
			case FaultClaimError, FaultCallError, FaultErrorWithDevices:
				fault.Message = "broken on purpose"
			}
			mutants = append(mutants, Mutant{ID: call.prefix + k.suffix, What: "the driver " + k.text + " " + call.text, Fault: fault})
		}
	}
	return mutants
}

// CatchableFor are the IDs of the mutants that break one method for each claim,
// even one with a single request.
func CatchableFor(method Method) []MutantID {
	var ids []MutantID
	for _, m := range Mutants() {
		if m.Fault.Method == method && m.Fault.Kind != FaultSwapped && m.Fault.Kind != FaultAllRequests && m.Fault.Kind != FaultAllCDI {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
