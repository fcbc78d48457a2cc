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
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

func (i *instance) connect(ctx context.Context) error {
	i.mutex.Lock()
	config, announcement, conn := i.config, i.announcement, i.conn
	i.mutex.Unlock()
	if conn != nil {
		return nil
	}
	conn, err := connect(ctx, i, config, announcement, generation(i.generation))
	if err != nil {
		return err
	}
	i.setConnection(conn)
	return conn.publish(ctx, config.Profile)
}

// generation distinguishes the sockets of a driver before and after an upgrade.
func generation(n int) types.UID { return types.UID(strconv.Itoa(n)) }

// disconnect closes the sockets if open and leaves everything else.
func (i *instance) disconnect() {
	if conn := i.setConnection(nil); conn != nil {
		conn.close()
	}
}

// upgrade opens the next generation's sockets, waits for the kubelet to register them and closes the old ones. On
// failure the old ones stay.
func (i *instance) upgrade(ctx context.Context) error {
	i.mutex.Lock()
	config, announcement := i.config, i.announcement
	i.mutex.Unlock()
	next, err := connect(ctx, i, config, announcement, generation(i.generation+1))
	if err != nil {
		return err
	}
	if err := next.waitRegistered(ctx); err != nil {
		next.close()
		return err
	}
	if err := next.publish(ctx, config.Profile); err != nil {
		next.close()
		return err
	}
	i.generation++
	if old := i.setConnection(next); old != nil {
		old.close()
	}
	return nil
}

func (i *instance) setConnection(conn *connection) *connection {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	old := i.conn
	i.conn = conn
	return old
}
