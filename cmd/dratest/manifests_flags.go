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

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/run/job"
	"github.com/dra-conformance/dratest/framework/testbed/access"
)

// notInCluster lists flags useless in a Job: those for created clusters or programs and files of this machine, and
// those set by the manifests.
//
//nolint:gochecknoglobals // a table
var notInCluster = []string{
	"kubeconfig", "context", "in-cluster", "report-dir", "done-file", "resume", "rerun-failed", "matrix", "dry-run", "identity",
	"sign-key", "sign-keyless", "id-token", "signing-config", "trusted-root", "expectations", "image-registry",
	"name", "version", "image", "feature-gates", "runtime-config", "program", "provider", "stack", "scheduler", "controllers", "kubelet", "node-image-source", "node-image-registry",
	"versions", "list", "endpoint", "cdi-dir", "no-cluster", "command", "workers", "at", "switch", "spoil", "fabric", "classic",
}

// fileFlags lists flags with a file for the ConfigMap.
//
//nolint:gochecknoglobals // a table
var fileFlags = []string{"file", "pod-template", "agent-template"}

// inJob is a command of dratest in a Job.
type inJob struct {
	name  string
	flags *pflag.FlagSet
	// complete validates the flags and sets rights and template.
	complete func(c *job.Config) error
	// local lists what runs on the user's machine outside of a Job.
	local []string
}

func newInJob(name string, add func(*pflag.FlagSet)) *inJob {
	j := &inJob{name: name, flags: pflag.NewFlagSet(name, pflag.ContinueOnError)}
	j.flags.Usage = func() {}
	add(j.flags)
	return j
}

// configure sets the Job's command, and moves the files named by its flags into the Job.
func (j *inJob) configure(args []string, c *job.Config) error {
	c.Command, c.Files = j.name, map[string]string{}
	err := j.flags.ParseAll(args, func(flag *pflag.Flag, value string) error {
		if slices.Contains(notInCluster, flag.Name) {
			return fmt.Errorf("%s: cannot be given to a run in a cluster", flag.Name)
		}
		if err := j.flags.Set(flag.Name, value); err != nil {
			return err
		}
		if slices.Contains(fileFlags, flag.Name) {
			data, err := os.ReadFile(value)
			if err != nil {
				return fmt.Errorf("%s: %w", flag.Name, err)
			}
			file := flag.Name + ".yaml"
			c.Files[file], value = string(data), path.Join(job.FilesDir, file)
		}
		c.Args = append(c.Args, "--"+flag.Name+"="+value)
		return nil
	})
	if err != nil {
		return err
	}
	if j.flags.NArg() > 0 {
		return fmt.Errorf("%q is none", j.flags.Arg(0))
	}
	return j.complete(c)
}

func runInJob() *inJob {
	var f runFlags
	j := newInJob("run", f.add)
	j.complete = func(c *job.Config) (err error) {
		f.InCluster, c.Rules = true, access.Rules(f.Disruptive)
		if f.PodTemplate, err = readPodTemplate("pod-template", f.template, false); err == nil {
			c.Pod, err = objects.TemplateSpec(f.PodTemplate)
		}
		return errors.Join(err, f.Validate())
	}
	return j
}

func certifyInJob() *inJob {
	var f certifyFlags
	j := newInJob("certify", f.add)
	j.complete = func(c *job.Config) error {
		f.Run.InCluster, c.Rules = true, access.Certifying()
		d, err := readDeclaration(f.file)
		if err == nil {
			j.local = onMachine(d)
			c.Pod, err = objects.TemplateSpec(d.Workload.Template)
		}
		return errors.Join(err, f.Run.Validate())
	}
	return j
}

// onMachine lists the declared commands for the user's machine.
func onMachine(d declarations.Declaration) (fields []string) {
	for name, h := range d.Hooks.All() {
		if !h.IsZero() && h.RunsOn != declarations.OnNode {
			fields = append(fields, "hooks."+name)
		}
	}
	if len(d.Cases) > 0 {
		fields = append(fields, "cases")
	}
	return fields
}

func sanityInJob() *inJob {
	var f sanityFlags
	j := newInJob("sanity", f.add)
	j.complete = func(c *job.Config) (err error) {
		f.inCluster, c.Rules = true, access.Certifying()
		if f.restart != "" {
			j.local = []string{"--restart"}
		}
		if err := f.declared(j.flags); err != nil {
			return err
		}
		if c.Pod, err = objects.TemplateSpec(f.template); err != nil {
			return err
		}
		return f.complete()
	}
	return j
}

func soakInJob() *inJob {
	var f soakFlags
	j := newInJob("soak", f.add)
	j.complete = func(c *job.Config) (err error) {
		f.InCluster, c.Rules = true, access.Certifying()
		if f.file != "" {
			o, _, err := f.installedOptions(j.flags)
			if err == nil {
				c.Pod, err = objects.TemplateSpec(o.PodTemplate)
			}
			return errors.Join(err, o.Validate())
		}
		if len(f.kill) > 0 {
			return errors.New("kill: cannot be given to a run in a cluster")
		}
		if err := withoutDriver(j.flags); err != nil {
			return err
		}
		if f.PodTemplate, err = readPodTemplate("pod-template", f.template, false); err != nil {
			return err
		}
		if c.Pod, err = objects.TemplateSpec(f.PodTemplate); err != nil {
			return err
		}
		_, err = f.options(io.Discard, nil)
		return err
	}
	return j
}
