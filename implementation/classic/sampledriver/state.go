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

package sampledriver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

// errNoneFree means all devices are taken.
var errNoneFree = errors.New("no device is free")

// state maps claims to devices. It stands for a system separate from the driver's controller: it
// survives a controller crash, and gives a claim the same device again.
type state struct {
	file string
	// Claims are the devices by claim UID.
	Claims map[types.UID]controller.Device `json:"claims"`
}

func load(file string) (*state, error) {
	s := &state{file: file, Claims: make(map[types.UID]controller.Device)}
	if file == "" {
		return s, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state: %w", err)
	}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read the state in %s: %w", file, err)
	}
	return s, nil
}

// save replaces the file atomically.
func (s *state) save() error {
	if s.file == "" {
		return nil
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	next := s.file + ".next"
	if err := os.WriteFile(next, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	if err := os.Rename(next, s.file); err != nil {
		return fmt.Errorf("write the state: %w", err)
	}
	return nil
}

func (s *state) has(claim types.UID) bool {
	_, ok := s.Claims[claim]
	return ok
}

// taken is the number of taken devices in a pool.
func (s *state) taken(pool string) int {
	count := 0
	for _, device := range s.Claims {
		if device.Pool == pool {
			count++
		}
	}
	return count
}

// take gives a claim the first free device in the pools, each with size devices, or the one it
// already has there. It frees the claim's device elsewhere.
func (s *state) take(claim types.UID, pools []string, size int) (controller.Device, error) {
	has, found := s.Claims[claim]
	if found && slices.Contains(pools, has.Pool) {
		return has, nil
	}
	inUse := make(map[controller.Device]bool)
	for _, device := range s.Claims {
		inUse[device] = true
	}
	for _, pool := range pools {
		for i := range size {
			device := controller.Device{Pool: pool, Device: fmt.Sprint("device-", i)}
			if !inUse[device] {
				return device, s.change(claim, &device)
			}
		}
	}
	return controller.Device{}, errNoneFree
}

func (s *state) free(claim types.UID) error {
	if !s.has(claim) {
		return nil
	}
	return s.change(claim, nil)
}

// change sets or removes a claim's device. It changes nothing if saving fails.
func (s *state) change(claim types.UID, device *controller.Device) error {
	old, had := s.Claims[claim]
	if device == nil {
		delete(s.Claims, claim)
	} else {
		s.Claims[claim] = ptr.Deref(device, controller.Device{})
	}
	err := s.save()
	if err == nil {
		return nil
	}
	delete(s.Claims, claim)
	if had {
		s.Claims[claim] = old
	}
	return err
}
