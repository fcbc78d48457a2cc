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

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// allowed is an independent, instance by instance implementation of the policy
// (https://kubernetes.io/releases/version-skew-policy).
func allowed(s State) error {
	for server, software := range s.Software {
		if server.Component != APIServer {
			continue
		}
		for p, other := range s.Software {
			older := int(software.Version.Minor) - int(other.Version.Minor)
			switch p.Component {
			case APIServer:
				if older > 1 || older < -1 {
					return fmt.Errorf("%s %s beside %s %s", server, software, p, other)
				}
				continue
			case ControllerManager, Scheduler:
				if older > 1 {
					return fmt.Errorf("%s %s with %s", p, other, software)
				}
			default:
				if older > 3 {
					return fmt.Errorf("%s %s with %s", p, other, software)
				}
			}
			if older < 0 || older == 0 && other.Version.Patch > software.Version.Patch {
				return fmt.Errorf("%s %s is newer than %s", p, other, software)
			}
		}
	}
	return nil
}

// random is a request within the policy.
func random(r *rand.Rand) Request {
	first := uint(30 + r.IntN(5))
	count := 1 + r.IntN(4)
	var known []Version
	for minor := first; minor < first+uint(count)+1; minor++ {
		for range 1 + r.IntN(2) {
			known = append(known, Version{minor, uint(r.IntN(9)), ""})
		}
	}
	pick := func() Version { return known[r.IntN(len(known))] }
	q := Request{From: pick(), To: pick(), Known: known, Back: r.IntN(2) == 0, KubeletsLast: r.IntN(2) == 0, Stay: map[string]Version{}}
	for i := range 1 + r.IntN(3) {
		q.ControlPlanes = append(q.ControlPlanes, fmt.Sprintf("cp-%d", i))
	}
	for i := range r.IntN(4) {
		q.Workers = append(q.Workers, fmt.Sprintf("w-%d", i))
		if stay := pick(); r.IntN(3) == 0 {
			q.Stay[q.Workers[i]] = stay
		}
	}
	if r.IntN(3) == 0 {
		q.Own = []Place{{Scheduler, "cp-0"}}
	}
	return q
}

func TestEveryStateOnTheWayIsAllowed(t *testing.T) {
	found := 0
	for seed := range uint64(5000) {
		q := random(rand.New(rand.NewPCG(seed, 0))) //nolint:gosec // repeatable on purpose
		p, err := Find(q)
		if err != nil {
			continue
		}
		found++
		states := p.States()
		for i, s := range states {
			if err := allowed(s); err != nil {
				t.Fatalf("seed %d, after step %d: %v\n%+v", seed, i, err, q)
			}
			if i > 0 && p.Steps[i-1].From != states[i-1].Software[p.Steps[i-1].Place] {
				t.Fatalf("seed %d, step %d does not start where it is: %s", seed, i, p.Steps[i-1])
			}
		}
		last := states[len(states)-1]
		end := q.To
		if q.Back {
			end = q.From
		}
		for place, software := range last.Software {
			if _, stays := q.Stay[place.Node]; software.Version != end && (!stays || place.Component != Kubelet) {
				t.Fatalf("seed %d: %s ends at %s, not %s", seed, place, software, end)
			}
		}
	}
	if found < 3000 {
		t.Errorf("a way was found for only %d of 5000 requests", found)
	}
}

// Requests within the policy are not refused if all needed versions are runnable.
func TestAllowedRequestsAreNotRefused(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // repeatable on purpose
		q := random(r)
		q.Stay = nil
		span := int(q.To.Minor) - int(q.From.Minor)
		if q.From == q.To || q.KubeletsLast && (span > 3 || span < -3) {
			continue
		}
		if _, err := Find(q); err != nil {
			t.Fatalf("seed %d: %v\n%+v", seed, err, q)
		}
	}
}
