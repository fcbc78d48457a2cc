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

package sim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/drivers/sim/csi"
	"github.com/dra-conformance/dratest/drivers/sim/deviceplugin"
	"github.com/dra-conformance/dratest/drivers/sim/proxy"
)

// marker is a file in a plugin's directory marking it as dra-sim's.
const marker = "dra-sim"

// removeTraces removes all traces of a driver on the node and in the cluster.
func removeTraces(ctx context.Context, c Config, driver string) error {
	selector := fields.Set{
		resourceapi.ResourceSliceSelectorDriver:   driver,
		resourceapi.ResourceSliceSelectorNodeName: c.NodeName,
	}
	err := c.Client.ResourceV1().ResourceSlices().DeleteCollection(ctx,
		metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: selector.String()})
	if err != nil {
		err = fmt.Errorf("delete resource slices: %w", err)
	}
	return errors.Join(err,
		cdiStore{driver: driver, dir: c.CDIDir}.removeAll(),
		cdiStore{driver: driver, dir: c.CDIDir}.removeMetadata(),
		deviceplugin.RemoveSocket(c.devicePluginDir(), driver),
		csi.RemoveSockets(c.registryDir(), c.pluginDir(driver), driver),
		os.RemoveAll(c.pluginDir(driver)))
}

// removeLeftovers removes the traces of drivers with a marker in their directories, left by a killed agent.
func removeLeftovers(ctx context.Context, c Config) error {
	markers, err := filepath.Glob(filepath.Join(c.pluginDir("*"), marker))
	errs := []error{err, proxy.RemoveLeftovers(c.registryDir(), c.pluginsDir())}
	for _, path := range markers {
		driver := filepath.Base(filepath.Dir(path))
		klog.FromContext(ctx).Info("Removing a driver left by an earlier agent", "driver", driver)
		errs = append(errs, removeRegistrations(c, driver), removeTraces(ctx, c, driver))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove leftovers of an earlier agent: %w", err)
	}
	return nil
}

// removeRegistrations removes the registration sockets of a dead driver. Their names follow from the generations, and
// these from the other sockets.
func removeRegistrations(c Config, driver string) error {
	sockets, err := filepath.Glob(filepath.Join(c.pluginDir(driver), "dra-*.sock"))
	errs := []error{err}
	for _, socket := range sockets {
		generation := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(socket), "dra-"), ".sock")
		name := kubeletplugin.RollingUpdateRegistrarSocketFile(c.registryDir(), driver, types.UID(generation))
		if err := os.Remove(filepath.Join(c.registryDir(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
