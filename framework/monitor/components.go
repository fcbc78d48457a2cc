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

package monitor

import (
	"fmt"
	"maps"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/spec"
)

const (
	// renewal is how long a lease may go without renewal; Kubernetes' components renew theirs every 2 s.
	renewal = 40 * time.Second
	// absence is how long the API server need not answer, more than one probe.
	absence = 15 * time.Second
)

// components is the last state of components.
type components struct {
	// containers are the IDs of the running containers.
	containers map[string]string
	leases     map[string]lease
	// failing is since when the API server does not answer.
	failing time.Time
}

type lease struct {
	holder  string
	renewed time.Time // zero if that is unknown
}

func newComponents() components {
	return components{containers: map[string]string{}, leases: map[string]lease{}}
}

// seePods reports containers that were started again. Only a crash is a violation: components also end if they lose
// their lease, or are killed if they do not answer, on slow machines.
func (c *components) seePods(s follow.State[*corev1.Pod]) []observation {
	var all []observation
	for _, pod := range s.Objects {
		for _, status := range pod.Status.ContainerStatuses {
			key := pod.Namespace + "/" + pod.Name + "/" + status.Name
			was, known := c.containers[key]
			if status.State.Running == nil || status.ContainerID == "" || was == status.ContainerID {
				continue
			}
			c.containers[key] = status.ContainerID
			if !known {
				continue
			}
			why, crashed := ended(status.LastTerminationState.Terminated)
			all = append(all, observation{
				rule: spec.ComponentRestarted, about: key + " " + status.ContainerID, restart: true, warning: !crashed, ours: pod.Namespace == spec.SystemNamespace,
				text:    fmt.Sprintf("container %s of pod %s/%s was started again%s", status.Name, pod.Namespace, pod.Name, why),
				objects: []string{"pods/" + pod.Namespace + "/" + pod.Name}, node: pod.Spec.NodeName,
			})
		}
	}
	return all
}

// Exit codes of crashes: a Go panic, SIGABRT and SIGSEGV.
const (
	panicked = 2
	aborted  = 128 + 6
	faulted  = 128 + 11
)

// ended describes the end of a container, if known, and reports whether it crashed.
func ended(t *corev1.ContainerStateTerminated) (text string, crashed bool) {
	if t == nil {
		return "", false
	}
	return fmt.Sprintf(": it ended with code %d (%s)", t.ExitCode, t.Reason),
		t.Reason == "OOMKilled" || slices.Contains([]int32{panicked, aborted, faulted}, t.ExitCode)
}

func (c *components) seeLease(s follow.State[*coordinationv1.Lease], now time.Time) []observation {
	var all []observation
	for _, l := range s.Objects {
		was, is := c.leases[l.Name], lease{holder: ptr.Deref(l.Spec.HolderIdentity, "")}
		if s.Changed != nil {
			is.renewed = now
		}
		c.leases[l.Name] = is
		if was.holder != "" && was.holder != is.holder {
			all = append(all, lost(l.Name, is.holder, "the lease of %s went from %q to %q", l.Name, was.holder, is.holder))
		}
	}
	return all
}

func lost(component, about, format string, args ...any) observation {
	return observation{
		rule: spec.LeaseLost, about: component + " " + about, restart: true, warning: true,
		text: fmt.Sprintf(format, args...), objects: []string{"leases/kube-system/" + component},
	}
}

// silent reports leases that are not renewed.
func (c *components) silent(now time.Time) []observation {
	var all []observation
	for _, name := range slices.Sorted(maps.Keys(c.leases)) {
		if l := c.leases[name]; !l.renewed.IsZero() && now.Sub(l.renewed) > renewal {
			all = append(all, lost(name, l.renewed.String(), "%q has not renewed the lease of %s for %s", l.holder, name, renewal))
		}
	}
	return all
}

// probed reports an outage of the API server once it is over: a run whose cluster stays away ends for that.
func (c *components) probed(err error, now time.Time) []observation {
	since := c.failing
	switch {
	case err != nil:
		if since.IsZero() {
			c.failing = now
		}
		for name, l := range c.leases {
			c.leases[name] = lease{holder: l.holder}
		}
	case !since.IsZero():
		c.failing = time.Time{}
		if now.Sub(since) > absence {
			return []observation{{
				rule: spec.APIServerUnavailable, about: since.String(), restart: true, warning: true,
				text: fmt.Sprintf("the API server did not answer from %s to %s", since.UTC().Format(time.TimeOnly), now.UTC().Format(time.TimeOnly)),
			}}
		}
	}
	return nil
}
