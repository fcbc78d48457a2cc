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

package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/command"
	"github.com/dra-conformance/dratest/clusters/versions"
)

const kubernetes = "k8s.io/kubernetes"

// Source is the source of one Kubernetes version: a module or a checkout.
type Source struct {
	// Version is the version reported by its programs.
	Version versions.Version
	// Mod and Sum are the go.mod and go.sum of a module requiring the release.
	Mod, Sum []byte `json:",omitempty"`
	// Dir is the root of a checkout, Key identifies all its compiled files.
	Dir, Key string `json:",omitempty"`
}

// Programs are the programs in node images.
func Programs() []string {
	return []string{"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubeadm", "kubectl", "kubelet"}
}

// Check validates a version; alphas and betas are fine.
func Check(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version || semver.Major(version) != "v1" {
		return fmt.Errorf("%w %q: it has to be like v1.38.0 or v1.38.0-alpha.1", clusters.ErrUnknownVersion, version)
	}
	return nil
}

// Fetch makes the module of a release in the empty directory dir. Errors wrap clusters.ErrUnknownVersion if there is
// no such release, and clusters.ErrEnvironment if the go command is too old or a required module is not served.
func Fetch(ctx context.Context, version, dir string) (Source, error) {
	if err := Check(version); err != nil {
		return Source{}, err
	}
	module, err := download(ctx, kubernetes+"@"+version, dir)
	if err != nil {
		return Source{}, err
	}
	r := Source{Version: versions.Version{Kubernetes: version}}
	var info struct{ Time string }
	if err := readJSON(module.Info, &info); err != nil {
		return r, err
	}
	r.Version.Built = info.Time
	if r.Version.Etcd, r.Version.Pause, err = Tags(module.Dir); err != nil {
		return r, err
	}
	theirs, err := os.ReadFile(module.GoMod)
	if err != nil {
		return r, fmt.Errorf("read go.mod of Kubernetes %s: %w", version, err)
	}
	ours, err := requiring(version, theirs)
	if err != nil {
		return r, err
	}
	file := filepath.Join(dir, "go.mod")
	if err := os.WriteFile(file, ours, 0o644); err != nil {
		return r, fmt.Errorf("write the module of Kubernetes %s: %w", version, err)
	}
	if _, err := command.Run(ctx, command.Cmd{Args: []string{"go", "mod", "tidy"}, Dir: dir, Env: environment()}); err != nil {
		return r, Explain("Kubernetes "+version, err.Error(), fmt.Errorf("find what Kubernetes %s requires: %w", version, err))
	}
	r.Mod, err = os.ReadFile(file)
	if err == nil {
		r.Sum, err = os.ReadFile(filepath.Join(dir, "go.sum"))
	}
	if err != nil {
		return r, fmt.Errorf("read the module of Kubernetes %s: %w", version, err)
	}
	return r, nil
}

// environment overrides the user's settings of the go command.
func environment() []string { return []string{"GOWORK=off", "GOFLAGS=-mod=mod"} }

type downloaded struct {
	Info, GoMod, Dir, Error string
}

func download(ctx context.Context, module, dir string) (d downloaded, err error) {
	out, err := command.Run(ctx, command.Cmd{Args: []string{"go", "mod", "download", "-json", module}, Dir: dir, Env: environment()})
	var failed *command.Error
	if errors.As(err, &failed) {
		out = failed.Output
	} else if err != nil {
		return d, fmt.Errorf("download %s: %w", module, err)
	}
	if jsonErr := json.Unmarshal([]byte(out), &d); jsonErr != nil {
		return d, fmt.Errorf("download %s: %w", module, errors.Join(err, jsonErr))
	}
	if d.Error != "" {
		unknown := fmt.Errorf("%w: the Go module proxy does not serve %s: %s", clusters.ErrUnknownVersion, module, strings.TrimPrefix(firstLine(d.Error), module+": "))
		return d, Explain(module, d.Error, unknown)
	}
	return d, nil
}

var (
	needsGo = regexp.MustCompile(`requires go >= ([\w.]+) \(running go ([\w.]+); GOTOOLCHAIN=local\)`)
	missing = regexp.MustCompile(`(\S+@v\S+): (?:reading|verifying) `)
)

// Explain returns what a person can do about an output of the go command for a subject, or err. The go command names a
// required module that it cannot download; a failure to download Kubernetes itself is err.
func Explain(subject, output string, err error) error {
	if found := needsGo.FindStringSubmatch(output); found != nil {
		return fmt.Errorf("%w: %s needs Go %s or newer, and this is Go %s: install it from https://go.dev/dl/, or set GOTOOLCHAIN=auto to have the go command download it",
			clusters.ErrEnvironment, subject, found[1], found[2])
	}
	if found := missing.FindStringSubmatch(output); found != nil && !strings.HasPrefix(found[1], kubernetes+"@") {
		return fmt.Errorf("%w: %s requires %s, which the Go module proxy does not serve (%s): set GOPROXY to one that does, or build from a checkout with --version DIR",
			clusters.ErrEnvironment, subject, found[1], lastLine(output))
	}
	return err
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndex(text, "\n")+1:])
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func readJSON(path string, to any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// requiring is a go.mod requiring a release. The release requires its staging modules as v0.0.0 from its own
// directory; they are published as v0 with the release's minor version and patch level.
func requiring(version string, theirs []byte) ([]byte, error) {
	from, err := modfile.Parse("go.mod", theirs, nil)
	if err == nil && from.Go == nil {
		err = errors.New("it does not name a Go version")
	}
	if err != nil {
		return nil, fmt.Errorf("read go.mod of Kubernetes %s: %w", version, err)
	}
	var to strings.Builder
	_, _ = fmt.Fprintf(&to, "module github.com/dra-conformance/dratest/clusters/images/kubernetes-%s\n\ngo %s\n\n", version, from.Go.Version)
	for _, g := range from.Godebug {
		_, _ = fmt.Fprintf(&to, "godebug %s=%s\n\n", g.Key, g.Value)
	}
	_, _ = fmt.Fprintf(&to, "require %s %s\n\nreplace (\n", kubernetes, version)
	for _, r := range from.Require {
		if r.Mod.Version == "v0.0.0" && strings.HasPrefix(r.Mod.Path, "k8s.io/") {
			_, _ = fmt.Fprintf(&to, "\t%s => %s v0%s\n", r.Mod.Path, r.Mod.Path, strings.TrimPrefix(version, "v1"))
		}
	}
	to.WriteString(")\n\ntool (\n")
	for _, program := range Programs() {
		_, _ = fmt.Fprintf(&to, "\t%s/cmd/%s\n", kubernetes, program)
	}
	to.WriteString(")\n")
	return []byte(to.String()), nil
}

// Tags are the image tags used by the kubeadm of a Kubernetes source directory.
func Tags(dir string) (etcd, pause string, err error) {
	file := filepath.Join(dir, "cmd", "kubeadm", "app", "constants", "constants.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return "", "", fmt.Errorf("read kubeadm's constants: %w", err)
	}
	constant := func(name string) string {
		if match := regexp.MustCompile(`(?m)^\s*` + name + `\s*=\s*"([^"]+)"`).FindSubmatch(source); match != nil {
			return string(match[1])
		}
		err = fmt.Errorf("read kubeadm's constants: %s has no %s", file, name)
		return ""
	}
	etcd, pause = constant("DefaultEtcdVersion"), constant("PauseVersion")
	return etcd, pause, err
}
