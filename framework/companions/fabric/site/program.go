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

package site

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/dra-conformance/dratest/framework/companions/process"
)

// Client is a program between a cluster and the fabric.
type Client struct {
	// Kubeconfig and Context name the cluster. An empty Context is the current one.
	Kubeconfig, Context string
	// User is the program's identity in the cluster, as "system:serviceaccount:namespace:name"; empty for the
	// kubeconfig's user.
	User string
	// Token is the cluster's token in the fabric's configuration.
	Token string
	// Log is the path of the log to append to; empty for a temporary one.
	Log string
	// Driver and Fabric are the names of the driver and the fabric.
	Driver, Fabric string
}

// Program is a controller or driver, running or not.
type Program struct {
	what, path, dir, log string
	args                 []string
	running              *process.Process
}

// start starts a program with the common arguments and those of args, called with the program's own directory to
// prepare. A kubeconfig of its own, with a single context, gives it its identity.
func (s *Site) start(what, path string, client Client, args func(dir string) ([]string, error)) (*Program, error) {
	p := &Program{what: what, path: path, log: client.Log, dir: s.path(what + "-" + strconv.Itoa(len(s.programs)))}
	if p.log == "" {
		p.log = p.file("program.log")
	}
	err := os.Mkdir(p.dir, 0o700)
	if err == nil {
		p.args, err = args(p.dir)
	}
	if err == nil {
		err = errors.Join(process.WriteKubeconfig(p.file("kubeconfig"), client.Kubeconfig, client.Context, client.User), p.SetToken(client.Token))
	}
	if err != nil {
		return nil, fmt.Errorf("start the %s: %w", what, err)
	}
	p.args = append(p.args, "--kubeconfig="+p.file("kubeconfig"), "--fabric-name="+client.Fabric, "--fabric-url="+s.As("").Base,
		"--fabric-token-file="+p.file("token"), "--fabric-ca-file="+s.path("ca.crt"))
	s.programs = append(s.programs, p)
	return p, p.Begin()
}

func (p *Program) file(name string) string { return filepath.Join(p.dir, name) }

// SetToken replaces the program's fabric token, also while it runs.
func (p *Program) SetToken(token string) error {
	return os.WriteFile(p.file("token"), []byte(token), 0o600)
}

// Begin starts the process, which must not run.
func (p *Program) Begin() (err error) {
	if p.running, err = process.Start(p.path, p.log, p.args...); err != nil {
		return fmt.Errorf("start the %s: %w", p.what, err)
	}
	return nil
}

// End kills the process and waits until it is gone. A stopped one is no error; one that had exited by itself is an
// error, with the reason in its log.
func (p *Program) End() error {
	if p.running == nil {
		return nil
	}
	process := p.running
	p.running = nil
	if err := process.Kill(); err != nil {
		return fmt.Errorf("end the %s: %w", p.what, err)
	}
	return nil
}

// ID is the process's, 0 if it does not run.
func (p *Program) ID() int {
	if p.running == nil {
		return 0
	}
	return p.running.ID()
}
