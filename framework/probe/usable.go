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

package probe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Usable returns why a target is unusable for every case, all problems at once with advice, or nil.
func Usable(target spec.Target) error {
	var errs []error
	if !slices.Contains(target.ResourceAPIs, "v1") {
		errs = append(errs, fmt.Errorf("the cluster serves DRA only as %s %s, the cases need v1: use Kubernetes v1.34 or newer",
			group, strings.Join(target.ResourceAPIs, ", ")))
	}
	workers := target.Workers()
	// Some cases need no real node.
	if kubelets := len(target.Nodes) - target.Simulated(); kubelets > 0 && len(workers) == 0 {
		errs = append(errs, fmt.Errorf("none of the %d node(s) can run the pods of cases", kubelets))
	}
	var without []string
	for _, n := range target.Nodes {
		if slices.Contains(workers, n.Name) && lacksCDI(n.Runtime) {
			without = append(without, n.Name+" ("+n.Runtime+")")
		}
	}
	if len(workers) > 0 && len(without) == len(workers) {
		errs = append(errs, fmt.Errorf("no node with CDI support (needed to pass devices to containers): %s; "+
			"use containerd 1.7 or newer, or CRI-O 1.23 or newer", strings.Join(without, ", ")))
	}
	return errors.Join(errs...)
}

// firstWithCDI has the container runtimes with CDI support and their first version with it. containerd 1.7 may have
// it disabled, invisibly from here.
//
//nolint:gochecknoglobals // a table
var firstWithCDI = map[string]string{"containerd": "1.7.0", "cri-o": "1.23.0"}

// lacksCDI reports whether a runtime, as named by the kubelet, is known to lack CDI. Unknown runtimes are assumed to
// have it.
func lacksCDI(runtime string) bool {
	name, v, _ := strings.Cut(runtime, "://")
	if name == "docker" {
		return true
	}
	first, known := firstWithCDI[name]
	parsed, err := version.ParseGeneric(v)
	return known && err == nil && parsed.LessThan(version.MustParseGeneric(first))
}
