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

// facts are what judge needs to know about a machine; gather reads them.
type facts struct {
	// OS is Go's name of the operating system that dratest runs on.
	OS string
	// Debian: apt-get can install docker.io and debootstrap.
	Debian bool
	Root   bool
	// Systemd: systemd runs this machine, so it starts and stops services.
	Systemd bool

	Client client
	Engine engine
	// Daemon is the path of dockerd, or "" if it is not installed.
	Daemon string
	// Installed: the engine is one that dratest installed.
	Installed bool

	// Missing are the capabilities that the kernel has and this machine's
	// processes may never get.
	Missing []string
	// Cgroup is the version that this machine has mounted; 0 if unknown.
	Cgroup int
	Disks  []disk
	// Memory is what can be used without swapping, in bytes; 0 if unknown.
	Memory uint64

	// Go is the version of the go command as "1.26.0", or "".
	Go string
	// Debootstrap is its path, or "".
	Debootstrap string
	// Built: there is a node image that dratest built.
	Built bool
}

// client is the engine's command line client.
type client struct {
	// Version is "" if there is no client.
	Version string
	// Podman: the docker command is Podman's, or only podman is there.
	Podman bool
	// Elsewhere is the address or context that the user has chosen instead of
	// this machine's own engine, or "".
	Elsewhere string
}

// isPodman says whether the docker command is Podman's.
func (c client) isPodman() bool { return c.Podman && c.Version != "" }

// engine is what an engine that answers says about itself, or why it does not.
type engine struct {
	// Version is "" if no engine answers.
	Version string
	// Failure is what the client said when no engine answered.
	Failure string
	// System is the operating system that the engine runs on, as it calls it.
	System string
	// Arch is Go's name of the architecture of the engine's machine.
	Arch string
	// Runtime is the name of the default OCI runtime.
	Runtime string
	Cgroup  int
	// Memory is all memory of the engine's machine, in bytes.
	Memory uint64
	// DataDir is where images and containers are, on the engine's machine.
	DataDir string
	// Privileged is the outcome of running a privileged container.
	Privileged outcome
	// Cause is why it could not be run, as the engine said it.
	Cause string
}

// outcome of a trial; the zero value means that it was not made.
type outcome int

const (
	untried outcome = iota
	works
	fails
)

// disk is a file system that dratest fills.
type disk struct {
	Path string
	// Free is in bytes.
	Free uint64
}
