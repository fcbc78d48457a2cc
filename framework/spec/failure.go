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

package spec

import "strings"

// LastSeen splits a timeout message of package harness: the awaited condition and the last observation, preferably
// the most relevant event.
func LastSeen(failure string) (what, seen string) {
	what, seen, _ = strings.Cut(failure, "\nlast seen: ")
	what, events, found := strings.Cut(what, "\nevent: ")
	if found {
		seen, _, _ = strings.Cut(events, "\nevent: ")
		seen = "event: " + seen
	}
	return what, seen
}
