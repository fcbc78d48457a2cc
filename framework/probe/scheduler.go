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
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/dra-conformance/dratest/framework/spec"
)

// bindingTimeout is the timeout annotated in the schedulers' pods, the longest one if several; zero if unknown.
func bindingTimeout(schedulers []corev1.Pod) time.Duration {
	longest := time.Duration(0)
	for _, pod := range schedulers {
		reported, _ := time.ParseDuration(variable(pod, spec.EnvBindingTimeout)) // nonsense tells nothing
		if reported <= 0 {
			return 0
		}
		longest = max(longest, reported)
	}
	return longest
}

// defaultsProfile is the profile named by all schedulers' pods; empty if they differ or it is unknown.
func defaultsProfile(schedulers []corev1.Pod) string {
	name := ""
	for i, pod := range schedulers {
		reported := variable(pod, spec.EnvDefaultsProfile)
		if i > 0 && reported != name {
			return ""
		}
		name = reported
	}
	return name
}

func variable(scheduler corev1.Pod, name string) (value string) {
	for _, e := range scheduler.Spec.Containers[0].Env {
		if e.Name == name {
			value = e.Value
		}
	}
	return value
}

// schedulerGates returns the gates of scheduler-only features: the pods' arguments and, for the others, the defaults
// of their version. They are in no file (k8s.io/kubernetes v1.37.1, cmd/kube-scheduler/app/options), so arguments are
// complete. If a pod is unreadable, or pods differ, unseen has the reason.
func schedulerGates(schedulers []corev1.Pod) (gates map[spec.Feature]bool, unseen string) {
	if len(schedulers) == 0 {
		return nil, "no pod of the scheduler can be seen; if it is Kubernetes' own, add --assume-stock=scheduler"
	}
	for i, pod := range schedulers {
		found, err := gatesOfScheduler(pod)
		switch {
		case err != nil:
			return nil, fmt.Sprintf("scheduler %s: %v", pod.Name, err)
		case i > 0 && !maps.Equal(found, gates):
			return nil, fmt.Sprintf("the schedulers' gates differ: %v and %v", gates, found)
		}
		gates = found
	}
	return gates, ""
}

// gatesOfScheduler are those of one pod. A distribution's build is taken to have the defaults of its release, as it has
// its known issues: otherwise no run on a distribution could be complete.
func gatesOfScheduler(pod corev1.Pod) (map[spec.Feature]bool, error) {
	c := ofPod(spec.Scheduler, stockScheduler, ownScheduler, pod)
	if c.Whose == spec.Other && c.Basis != spec.Claimed {
		return nil, fmt.Errorf("%s, so its defaults are unknown", c.Why)
	}
	v, err := version.ParseGeneric(c.Version)
	if err != nil || v.Major() != 1 {
		return nil, fmt.Errorf("its version %q tells no defaults", c.Version)
	}
	container := pod.Spec.Containers[0]
	args := slices.Concat(container.Command, container.Args)
	if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "emulat") }) {
		return nil, fmt.Errorf("it emulates another version: %q", args)
	}
	set, err := gatesIn(args)
	if err != nil {
		return nil, err
	}
	found := spec.SchedulerDefaults(v.Minor())
	_, known := found[spec.FilterTimeout]
	// The gate is beta; an explicit gate overrides its stage, and dynamic resource allocation, its dependency, cannot be
	// off since v1.35.
	for _, name := range []string{"AllBeta", string(spec.FilterTimeout)} {
		if on, ok := set[name]; ok && known {
			found[spec.FilterTimeout] = on
		}
	}
	return found, nil
}

// gatesIn returns the feature gates in arguments, the last one of a name if there are several.
func gatesIn(args []string) (map[string]bool, error) {
	set := map[string]bool{}
	for i, arg := range args {
		value, ok := strings.CutPrefix(arg, "--feature-gates=")
		if !ok && arg == "--feature-gates" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if !ok {
			continue
		}
		for pair := range strings.SplitSeq(value, ",") {
			name, text, _ := strings.Cut(strings.TrimSpace(pair), "=")
			if name == "" {
				continue
			}
			on, err := strconv.ParseBool(strings.TrimSpace(text))
			if err != nil {
				return nil, fmt.Errorf("read --feature-gates=%s: %w", value, err)
			}
			set[name] = on
		}
	}
	return set, nil
}
