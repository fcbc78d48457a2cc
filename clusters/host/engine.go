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
	"context"
	"encoding/json"
	"os"
	"strings"
)

// labelNode is on every node image built by the package images.
const labelNode = "io.dratest.stage=node"

func gatherClient(ctx context.Context) client {
	if found("docker") == "" {
		return client{Podman: found("podman") != ""}
	}
	version, err := ask(ctx, nil, "docker", "--version")
	if err != nil {
		return client{}
	}
	c := client{Version: version, Podman: strings.Contains(strings.ToLower(version), "podman")}
	switch address := os.Getenv("DOCKER_HOST"); {
	case address != "" && address != "unix:///var/run/docker.sock":
		c.Elsewhere = address
	case address == "":
		// The environment or the user's configuration may select a context.
		if name, err := ask(ctx, nil, "docker", "context", "show"); err == nil && name != "default" {
			c.Elsewhere = "context " + name
		}
	}
	return c
}

// answer is the relevant part of "docker version" and "docker info".
type answer struct {
	Server *struct {
		Version string
		Arch    string
	}
}

type info struct {
	OperatingSystem string
	DefaultRuntime  string
	CgroupVersion   string
	MemTotal        uint64
	DockerRootDir   string
}

// gatherEngine queries the engine and tries a privileged container.
func gatherEngine(ctx context.Context, f *facts) {
	text, err := ask(ctx, nil, "docker", "version", "--format", "{{json .}}")
	if err != nil {
		f.Engine.Failure = err.Error()
		return
	}
	var version answer
	if err := json.Unmarshal([]byte(text), &version); err != nil || version.Server == nil {
		f.Engine.Failure = "the client does not say which engine it talks to"
		return
	}
	f.Engine.Version, f.Engine.Arch = version.Server.Version, version.Server.Arch
	if text, err := ask(ctx, nil, "docker", "info", "--format", "{{json .}}"); err == nil {
		var i info
		if json.Unmarshal([]byte(text), &i) == nil {
			f.Engine.System, f.Engine.Runtime = i.OperatingSystem, i.DefaultRuntime
			f.Engine.Memory, f.Engine.DataDir = i.MemTotal, i.DockerRootDir
			f.Engine.Cgroup = map[string]int{"1": 1, "2": 2}[i.CgroupVersion]
		}
	}
	images, err := ask(ctx, nil, "docker", "image", "ls", "--quiet", "--filter", "label="+labelNode)
	f.Built = err == nil && images != ""
	f.Engine.Privileged, f.Engine.Cause = probe(ctx, f.Engine.Arch)
}
