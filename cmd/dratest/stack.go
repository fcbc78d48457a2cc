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
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
)

// stackFlags select the components of a cluster.
type stackFlags struct {
	all                             string
	scheduler, controllers, kubelet string
}

func (f *stackFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.all, "stack", "", "components: stock (Kubernetes), own (dratest), or a list such as scheduler=own,kubelet=own")
	flags.StringVar(&f.scheduler, "scheduler", "", "scheduler: stock (kube-scheduler) or own (dra-scheduler)")
	flags.StringVar(&f.controllers, "controllers", "", "claim and device taint controllers: stock (kube-controller-manager) or own (dra-controller-manager)")
	flags.StringVar(&f.kubelet, "kubelet", "", "kubelets: stock or own (dra-kubelet), optionally limited to nodes as in own:worker:worker2")
}

// over returns the stack of the flags, with defaults from below.
func (f stackFlags) over(below clusters.Stack) (clusters.Stack, error) {
	var asked, single clusters.Stack
	if f.all != "" {
		var err error
		if asked, err = clusters.ParseStack(f.all); err != nil {
			return asked, withCode(codeUsage, err)
		}
	}
	for component, text := range map[string]string{"scheduler": f.scheduler, "controllers": f.controllers, "kubelet": f.kubelet} {
		if text == "" {
			continue
		}
		if err := single.Set(component, text); err != nil {
			return single, withCode(codeUsage, err)
		}
	}
	asked = single.Over(asked).Over(below)
	return asked, withCode(codeUsage, asked.Validate())
}
