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

package broken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/drivers/sim/mutants"
)

// checkpoint has the prepared claims, as written by a release of the driver.
type checkpoint struct {
	Release int                `json:"release"`
	Claims  map[types.UID]bool `json:"claims"`
}

func (p Place) readCheckpoint() (c checkpoint, err error) {
	data, err := os.ReadFile(filepath.Join(p.StateDir, mutants.CheckpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return checkpoint{Release: p.Release, Claims: map[types.UID]bool{}}, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}

// writeCheckpoint leaves no file where nothing is prepared.
func (p Place) writeCheckpoint(c checkpoint) error {
	path := filepath.Join(p.StateDir, mutants.CheckpointFile)
	if len(c.Claims) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode checkpoint: %w", err)
	}
	return os.WriteFile(path, data, 0o600)
}

// keeping is a driver with a checkpoint, parsed by read.
func keeping(place Place, driver kubeletplugin.DRAPlugin, read func() (checkpoint, error)) kubeletplugin.DRAPlugin {
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			c, err := read()
			if err != nil {
				return result{Err: err}
			}
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err == nil && len(answer.Devices) > 0 {
				c.Claims[claim.UID] = true
				answer.Err = place.writeCheckpoint(c)
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			c, err := read()
			if err != nil {
				return err
			}
			delete(c.Claims, claim.UID)
			if err := (good{driver}).unprepare(ctx, claim); err != nil {
				return err
			}
			return place.writeCheckpoint(c)
		},
	}
}

// checkpointOfOneRelease reads no other release's.
func checkpointOfOneRelease(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return keeping(place, driver, func() (checkpoint, error) {
		c, err := place.readCheckpoint()
		if err == nil && c.Release != place.Release {
			err = fmt.Errorf("read checkpoint: it is of release %d, this is %d", c.Release, place.Release)
		}
		return c, err
	})
}

// panicsOnDamage assumes a readable checkpoint.
func panicsOnDamage(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	return keeping(place, driver, func() (checkpoint, error) {
		c, err := place.readCheckpoint()
		if err != nil {
			panic(fmt.Sprintf("checkpoint without claims: %v", err))
		}
		return c, nil
	})
}

// orphansStay ignores prepared claims missing in the API server at the driver's start.
func orphansStay(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	orphans := map[types.UID]bool{}
	if prepared, err := place.specs(); err == nil && len(prepared) > 0 {
		list, err := place.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(context.Background(), metav1.ListOptions{})
		for uid := range prepared {
			orphans[uid] = err == nil
		}
		if err == nil {
			for _, c := range list.Items {
				delete(orphans, c.UID)
			}
		}
	}
	return broken{DRAPlugin: driver, unprepare: func(ctx context.Context, claim object) error {
		if orphans[claim.UID] {
			return nil
		}
		return good{driver}.unprepare(ctx, claim)
	}}
}

// checkpointOverwritten reads the checkpoint for unprepare only: the first prepare of a process writes one without
// the claims before.
func checkpointOverwritten(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	known := checkpoint{Release: place.Release, Claims: map[types.UID]bool{}}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err == nil && len(answer.Devices) > 0 {
				known.Claims[claim.UID] = true
				answer.Err = place.writeCheckpoint(known)
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			c, err := place.readCheckpoint()
			if err != nil || !c.Claims[claim.UID] {
				return err
			}
			if err := (good{driver}).unprepare(ctx, claim); err != nil {
				return err
			}
			delete(known.Claims, claim.UID)
			delete(c.Claims, claim.UID)
			return place.writeCheckpoint(c)
		},
	}
}

// stateByName knows prepared claims by namespace and name.
func stateByName(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	type prepared struct {
		answer result
		claim  object
	}
	known := map[types.NamespacedName]prepared{}
	return broken{
		DRAPlugin: driver,
		prepare: func(ctx context.Context, claim *resourceapi.ResourceClaim) result {
			o := objectOf(claim)
			if was, ok := known[o.NamespacedName]; ok && was.claim.UID != claim.UID {
				return was.answer
			}
			answer := good{driver}.prepare(ctx, claim)
			if answer.Err == nil {
				known[o.NamespacedName] = prepared{answer, o}
			}
			return answer
		},
		unprepare: func(ctx context.Context, claim object) error {
			if was, ok := known[claim.NamespacedName]; ok {
				claim = was.claim
			}
			delete(known, claim.NamespacedName)
			return good{driver}.unprepare(ctx, claim)
		},
	}
}
