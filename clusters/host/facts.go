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

// facts are the input of judge, read by gather.
type facts struct {
	// OS is the operating system, as GOOS.
	OS string
	// Debian: apt-get can install docker.io and debootstrap.
	Debian bool
	Root   bool
	// Systemd: systemd is the init system.
	Systemd bool

	Client client
	Engine engine
	// Daemon is the path of dockerd, or "" if it is not installed.
	Daemon string
	// Installed: dratest installed the engine.
	Installed bool

	// Missing are the kernel's capabilities missing from this machine's bounding set.
	Missing []string
	// Cgroup is the mounted cgroup version; 0 if unknown.
	Cgroup int
	Disks  []disk
	// Memory is the available memory in bytes; 0 if unknown.
	Memory uint64

	// Go is the version of the go command as "1.26.0", or "".
	Go string
	// Debootstrap is its path, or "".
	Debootstrap string
	// Built: there is a node image built by dratest.
	Built bool
}

// client is the engine's command line client.
type client struct {
	// Version is "" if there is no client.
	Version string
	// Podman: the docker command is Podman's, or only podman is installed.
	Podman bool
	// Elsewhere is the address or context of a user-selected engine other than this machine's, or "".
	Elsewhere string
}

// isPodman reports whether the docker command is Podman's.
func (c client) isPodman() bool { return c.Podman && c.Version != "" }

// engine is a running engine's information, or the reason why it is not running.
type engine struct {
	// Version is "" if no engine answers.
	Version string
	// Failure is the client's error if no engine is running.
	Failure string
	// System is the engine's operating system, as it reports it.
	System string
	// Arch is the architecture of the engine's machine, as GOARCH.
	Arch string
	// Runtime is the name of the default OCI runtime.
	Runtime string
	Cgroup  int
	// Memory is the total memory of the engine's machine, in bytes.
	Memory uint64
	// DataDir is the data directory on the engine's machine.
	DataDir string
	// Privileged is the outcome of running a privileged container.
	Privileged outcome
	// Cause is the engine's error.
	Cause string
}

// outcome of a probe; the zero value means it did not run.
type outcome int

const (
	untried outcome = iota
	works
	fails
)

// disk is a file system filled by dratest.
type disk struct {
	Path string
	// Free is in bytes.
	Free uint64
}
