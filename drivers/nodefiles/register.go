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

package nodefiles

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/apimachinery/pkg/util/wait"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// registering is the polling interval for new sockets.
const registering = 100 * time.Millisecond

// Register acts as the kubelet for a driver until ctx ends: it notifies each of its sockets in a registry directory that it
// is registered. A failed attempt is repeated. Other plugins are left to a kubelet.
func Register(ctx context.Context, dir, driver string) {
	registered := map[string]fs.FileInfo{}
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		paths, _ := newestFirst(dir) // a missing directory may still appear
		for _, path := range paths {
			info, err := os.Lstat(path)
			if err != nil || registered[path] != nil && os.SameFile(info, registered[path]) && info.ModTime().Equal(registered[path].ModTime()) {
				continue
			}
			if notifyRegistered(ctx, path, driver) == nil {
				registered[path] = info
			}
		}
	}, registering)
}

func notifyRegistered(ctx context.Context, socket, driver string) error {
	info, err := pluginInfo(ctx, socket)
	if err != nil {
		return fmt.Errorf("get plugin info: %w", err)
	}
	if info.GetName() != driver {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	status := &registerapi.RegistrationStatus{PluginRegistered: info.GetType() == registerapi.DRAPlugin}
	if !status.PluginRegistered {
		status.Error = "only DRA plugins are registered"
	}
	_, err = registerapi.NewRegistrationClient(conn).NotifyRegistrationStatus(ctx, status)
	return err
}
