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

package path

import "fmt"

// Rule names a rule of the version skew policy, or of feature gates.
type Rule string

// The rules.
const (
	// ServersTogether: instances of the API server are at most one minor version
	// apart.
	ServersTogether Rule = "api-servers-within-one-minor"
	// ServerInSteps: the API server does not skip a minor version.
	ServerInSteps Rule = "api-server-skips-no-minor"
	// NotNewer: nothing is newer than any API server it may talk to.
	NotNewer Rule = "not-newer-than-api-server"
	// ControlPlaneBehind: controller manager and scheduler are at most one minor
	// version older than the API server.
	ControlPlaneBehind Rule = "control-plane-at-most-one-minor-older"
	// NodeBehind: kubelet and kube-proxy are at most three minor versions older
	// than the API server.
	NodeBehind Rule = "node-at-most-three-minors-older"
	// ProxyKubeletSkew: kube-proxy and the kubelet beside it are at most three
	// minor versions apart.
	ProxyKubeletSkew Rule = "kube-proxy-within-three-minors-of-kubelet"
	// GateKnown: a gate can only be set in versions with the gate.
	GateKnown Rule = "gate-known"
	// GateChanges: switching a gate must change it.
	GateChanges Rule = "gate-changes"
	// GateLocked: a locked gate cannot be changed.
	GateLocked Rule = "gate-locked"
	// GateNeeds: a gate can only be on together with its dependencies.
	GateNeeds Rule = "gate-needs-another"
)

// RefusalError is the violated rule with details. Find returns it as an error.
type RefusalError struct {
	Rule Rule
	Text string
}

// Error implements error.
func (r *RefusalError) Error() string { return fmt.Sprintf("%s (rule %s)", r.Text, r.Rule) }

func refuse(rule Rule, format string, args ...any) *RefusalError {
	return &RefusalError{rule, fmt.Sprintf(format, args...)}
}

func check(s State) *RefusalError {
	servers := s.versions(APIServer)
	oldest, newest := servers[0], servers[len(servers)-1]
	if oldest.behind(newest) > 1 {
		return refuse(ServersTogether, "API servers of %s and %s must not run together", oldest, newest)
	}
	for _, p := range s.places("") {
		if p.Component == APIServer {
			continue
		}
		v := s.Software[p].Version
		if v.Compare(oldest) > 0 {
			return refuse(NotNewer, "%s %s is newer than the API server %s", p, v, oldest)
		}
		limit, rule := 3, NodeBehind
		if p.Component == ControllerManager || p.Component == Scheduler {
			limit, rule = 1, ControlPlaneBehind
		}
		if n := v.behind(newest); n > limit {
			return refuse(rule, "%s %s is %d minor versions older than the API server %s", p, v, n, newest)
		}
	}
	if refusal := checkProxy(s); refusal != nil {
		return refusal
	}
	return checkGates(s)
}

// checkProxy takes kube-proxy to run beside each kubelet.
func checkProxy(s State) *RefusalError {
	for _, proxy := range s.versions(Proxy) {
		for _, kubelet := range s.versions(Kubelet) {
			if n := proxy.behind(kubelet); n > 3 || n < -3 {
				return refuse(ProxyKubeletSkew, "kube-proxy %s must not run beside a kubelet %s", proxy, kubelet)
			}
		}
	}
	return nil
}

// checkStep returns the rule violated by a change of version, independent of other components.
func checkStep(step Step) *RefusalError {
	if step.Place.Component != APIServer || step.Gate != "" {
		return nil
	}
	if n := step.From.Version.behind(step.To.Version); n > 1 || n < -1 {
		return refuse(ServerInSteps, "%s must not go from %s to %s at once", step.Place, step.From.Version, step.To.Version)
	}
	return nil
}
