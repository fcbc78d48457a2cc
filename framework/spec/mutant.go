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

import "slices"

// Mutant is a mutant of the test driver. A case listing it in Meta.Catches must fail with all drivers mutated that
// way, which proves the detection.
type Mutant struct {
	Defect
	// Fault is the fault of its answers; without one, the mutation is elsewhere, from its start on.
	Fault Fault
}

// Mutants outside of the answers to the kubelet.
const (
	MutantNoOwner               MutantID = "driver-slices-without-owner"
	MutantInPlace               MutantID = "driver-slices-in-place"
	MutantOneVersion            MutantID = "driver-slices-in-one-version"
	MutantNoMapping             MutantID = "driver-slices-without-mapping"
	MutantUnchecked             MutantID = "driver-slices-unchecked"
	MutantAtOnce                MutantID = "driver-calls-at-once"
	MutantNewestMetadata        MutantID = "driver-metadata-newest-only"
	MutantMetadataOfClaim       MutantID = "driver-metadata-of-claim"
	MutantMetadataWithoutDriver MutantID = "driver-metadata-without-driver"
	MutantMetadataWritable      MutantID = "driver-metadata-writable"
	MutantUnprepareAll          MutantID = "driver-unprepare-all"
	MutantNoStatus              MutantID = "driver-without-status"
	MutantOneCondition          MutantID = "driver-one-condition"
)

// Mutants returns all mutants: each kind of fault for each method, and those outside of answers.
func Mutants() []Mutant {
	var mutants []Mutant
	for _, call := range []struct {
		method       Method
		prefix, text string
	}{{Prepare, "driver-prepare-", "prepare"}, {Unprepare, "driver-unprepare-", "unprepare"}} {
		for _, k := range faultKinds {
			if k.mutant == "" || call.method == Unprepare && k.prepareOnly {
				continue
			}
			mutants = append(mutants, Mutant{
				Defect: Defect{ID: call.prefix + k.mutant, What: "the driver " + k.what + " " + call.text},
				Fault:  Fault{Method: call.method, Kind: k.Kind, Delay: k.delay, Message: k.message},
			})
		}
	}
	for _, m := range []struct {
		id   MutantID
		what string
	}{
		{MutantNoOwner, "the driver publishes slices not owned by their node"},
		{MutantInPlace, "the driver changes the slices of a pool one after the other, and keeps its generation"},
		{MutantOneVersion, "the driver publishes in the newest version of the API, also where the API server has only an older one"},
		{MutantNoMapping, "the driver publishes devices without the node resources mapped to them"},
		{MutantUnchecked, "the driver does not check for fields of its slices dropped by the API server"},
		{MutantAtOnce, "the driver works on several calls at the same time"},
		{MutantNewestMetadata, "the driver writes metadata only in the newest version"},
		{MutantMetadataOfClaim, "the driver stores the metadata of a claim from a template in the path for directly referenced claims"},
		{MutantMetadataWithoutDriver, "the driver does not name itself in the name of the file with metadata"},
		{MutantMetadataWritable, "the driver lets containers write the file with metadata"},
		{MutantUnprepareAll, "the driver unprepares all claims when it is asked to unprepare one"},
		{MutantNoStatus, "the driver does not tell of its devices in the status of claims"},
		{MutantOneCondition, "only the first binding condition of the driver's devices becomes true"},
	} {
		mutants = append(mutants, Mutant{Defect: Defect{ID: string(m.id), What: m.what}})
	}
	return mutants
}

// FindMutant returns the mutant of an ID.
func FindMutant(id MutantID) (m Mutant, found bool) {
	all := Mutants()
	i := slices.IndexFunc(all, func(m Mutant) bool { return m.ID == string(id) })
	if i < 0 {
		return Mutant{}, false
	}
	return all[i], true
}

// CatchableFor returns the IDs of the mutants of one method affecting each claim, even with a single request.
func CatchableFor(method Method) []MutantID {
	var ids []MutantID
	for _, m := range Mutants() {
		several := slices.ContainsFunc(faultKinds, func(k faultKind) bool { return k.Kind == m.Fault.Kind && k.several })
		if m.Fault.Method == method && !several {
			ids = append(ids, MutantID(m.ID))
		}
	}
	return ids
}
