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

package nodeplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// The checkpoint's metadata. Format and file name are the kubelet's, so its DRA manager and this
// one can take over from one another.
const (
	CheckpointFile  = "dra_manager_state"
	checkpointKind  = "DRACheckpoint"
	checkpointGroup = "checkpoint.dra.kubelet.k8s.io"
	checkpointV1    = checkpointGroup + "/v1"
)

// ErrCorrupt means a checkpoint is unreadable. Its content is lost, see Rebuild.
var ErrCorrupt = errors.New("checkpoint is corrupt")

// ErrOtherVersion means a checkpoint was written by another kubelet version, in an unknown format.
// Leave it alone.
var ErrOtherVersion = errors.New("checkpoint has another version")

// ClaimInfo is one claim in a checkpoint. Its field names and those below are the file format.
type ClaimInfo struct {
	ClaimUID  types.UID
	ClaimName string
	Namespace string
	// PodUIDs are the pods for which the claim is or may be prepared.
	PodUIDs sets.Set[string]
	// DriverState has all drivers of the claim's allocation.
	DriverState map[string]DriverState
}

// Ref distinguishes successive claims of the same name.
func (info ClaimInfo) Ref() ClaimRef {
	return ClaimRef{ClaimID: ClaimID{Namespace: info.Namespace, Name: info.ClaimName}, UID: info.ClaimUID}
}

// DriverState is a driver's part of a claim.
type DriverState struct {
	// Devices are the driver's answer. Drivers may return none, for example for network devices.
	Devices            []Device
	SkipNodeOperations []resourceapi.SkipNodeOperation `json:"skipNodeOperations,omitempty"`
	// DevicesLost is set if the driver may have returned devices that are unknown: the checkpoint
	// was lost, see Rebuild. The kubelet does not know this field.
	DevicesLost bool `json:"devicesLost,omitempty"`
}

// Skips reports whether the devices need no call of this kind.
func (s DriverState) Skips(op resourceapi.SkipNodeOperation) bool {
	return slices.Contains(s.SkipNodeOperations, resourceapi.SkipNodeOperationAll) || slices.Contains(s.SkipNodeOperations, op)
}

// Device is a prepared device.
type Device struct {
	PoolName   string
	DeviceName string
	ShareID    *types.UID
	// RequestNames are the requests it was allocated for; none means all.
	RequestNames []string
	CDIDeviceIDs []string
}

// envelope is the outer format: the content as a string, and its checksum.
type envelope struct {
	Data     string
	Checksum uint32
}

type content struct {
	metav1.TypeMeta
	ClaimInfoStateList []ClaimInfo
}

// Encode returns the content of a checkpoint file.
func Encode(claims []ClaimInfo) ([]byte, error) {
	data, err := json.Marshal(content{
		TypeMeta:           metav1.TypeMeta{Kind: checkpointKind, APIVersion: checkpointV1},
		ClaimInfoStateList: claims,
	})
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: %w", err)
	}
	return json.Marshal(envelope{Data: string(data), Checksum: crc32.ChecksumIEEE(data)})
}

// Decode reads the output of Encode or the kubelet. It returns ErrCorrupt or ErrOtherVersion.
func Decode(file []byte) ([]ClaimInfo, error) {
	var outer envelope
	if err := json.Unmarshal(file, &outer); err != nil {
		return nil, fmt.Errorf("%w: decode %d bytes: %w", ErrCorrupt, len(file), err)
	}
	if sum := crc32.ChecksumIEEE([]byte(outer.Data)); sum != outer.Checksum {
		return nil, fmt.Errorf("%w: checksum is %d, should be %d", ErrCorrupt, outer.Checksum, sum)
	}
	var header metav1.TypeMeta
	if err := json.Unmarshal([]byte(outer.Data), &header); err != nil {
		return nil, fmt.Errorf("%w: decode data: %w", ErrCorrupt, err)
	}
	switch {
	case header.Kind != checkpointKind || !strings.HasPrefix(header.APIVersion, checkpointGroup+"/"):
		return nil, fmt.Errorf("%w: it is a %s of %s", ErrCorrupt, header.Kind, header.APIVersion)
	case header.APIVersion != checkpointV1:
		return nil, fmt.Errorf("%w: %s, known is %s", ErrOtherVersion, header.APIVersion, checkpointV1)
	}
	// Unknown fields are ignored: a newer kubelet may have added some without changing the version.
	var inner content
	if err := json.Unmarshal([]byte(outer.Data), &inner); err != nil {
		return nil, fmt.Errorf("%w: decode claims: %w", ErrCorrupt, err)
	}
	seen := sets.New[ClaimID]()
	for _, info := range inner.ClaimInfoStateList {
		id := ClaimID{Namespace: info.Namespace, Name: info.ClaimName}
		if seen.Has(id) {
			return nil, fmt.Errorf("%w: ResourceClaim %s is listed twice", ErrCorrupt, id)
		}
		seen.Insert(id)
	}
	return inner.ClaimInfoStateList, nil
}
