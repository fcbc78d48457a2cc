package spec

import "strings"

// LastSeen takes a failed wait's text apart, which package harness has written: what was
// waited for, and what was seen last, which is the most telling event where there is one.
func LastSeen(failure string) (what, seen string) {
	what, seen, _ = strings.Cut(failure, "\nlast seen: ")
	what, events, found := strings.Cut(what, "\nevent: ")
	if found {
		seen, _, _ = strings.Cut(events, "\nevent: ")
		seen = "event: " + seen
	}
	return what, seen
}
