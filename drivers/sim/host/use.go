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

package host

import (
	"fmt"
	"net"

	"github.com/prometheus/procfs"

	"github.com/dra-conformance/dratest/framework/spec"
)

// ListenerUse is the resource use of the process listening at the other end of a connection to a Unix socket.
func ListenerUse(conn net.Conn) (use spec.ProcessUse, err error) {
	pid, err := listenerOf(conn)
	if err != nil {
		return use, err
	}
	process, err := procfs.NewProc(pid)
	if err != nil {
		return use, fmt.Errorf("look at process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return use, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	files, err := process.FileDescriptorsLen()
	if err != nil {
		return use, fmt.Errorf("count the files of process %d: %w", pid, err)
	}
	return spec.ProcessUse{Memory: status.VmRSS, FileDescriptors: files}, nil
}
