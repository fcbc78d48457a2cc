package spec

import "time"

// Mutant is a deliberately broken variant of the test driver. A case that lists
// it in Meta.Catches must fail when all drivers are broken that way, which shows
// that the case does notice.
type Mutant struct {
	ID MutantID `json:"id"`
	// What says in a few words what is broken.
	What string `json:"what"`
	// Fault is how its answers are wrong, or Flaw what else is.
	Fault Fault `json:"fault,omitzero"`
	Flaw  Flaw  `json:"flaw,omitempty"`
}

// beyondKubelet is longer than the 45 s that the kubelet waits for a driver
// (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/plugin/dra_plugin.go).
const beyondKubelet = 50 * time.Second

// Mutants are all variants: each way to misbehave for each call, and each flaw.
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
	return append(mutants, flawed()...)
}

func flawed() []Mutant {
	return []Mutant{
		{ID: "driver-slices-without-owner", What: "the driver publishes slices that their node does not own", Flaw: FlawNoOwner},
		{ID: "driver-slices-in-place", What: "the driver changes the slices of a pool one after the other, and keeps its generation", Flaw: FlawInPlace},
		{ID: "driver-slices-in-one-version", What: "the driver publishes in the newest version of the API, also where the API server has only an older one", Flaw: FlawOneVersion},
		{ID: "driver-slices-without-mapping", What: "the driver publishes devices without the resources of their node that they stand for", Flaw: FlawNoMapping},
		{ID: "driver-slices-unchecked", What: "the driver does not look what the API server has kept of its slices", Flaw: FlawUnchecked},
		{ID: "driver-calls-at-once", What: "the driver works on several calls at the same time", Flaw: FlawAtOnce},
		{ID: "driver-metadata-newest-only", What: "the driver writes metadata only in the newest version", Flaw: FlawNewestMetadata},
		{ID: "driver-metadata-of-claim", What: "the driver puts the metadata of a claim from a template where that of a claim is that the pod names", Flaw: FlawMetadataOfClaim},
		{ID: "driver-metadata-without-driver", What: "the driver does not name itself in the name of the file with metadata", Flaw: FlawMetadataWithoutDriver},
		{ID: "driver-metadata-writable", What: "the driver lets containers write the file with metadata", Flaw: FlawMetadataWritable},
		{ID: "driver-unprepare-all", What: "the driver unprepares all claims when it is asked to unprepare one", Flaw: FlawUnprepareAll},
		{ID: "driver-without-status", What: "the driver does not tell of its devices in the status of claims", Flaw: FlawNoStatus},
		{ID: "driver-one-condition", What: "what makes the driver's devices ready has only the first of their conditions come true", Flaw: FlawOneCondition},
	}
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
