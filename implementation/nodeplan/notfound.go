package nodeplan

import "time"

// notFound is what follows when a driver answers NOT_FOUND: KEP-4381, "NodePrepareResource
// Errors", wants the claim to be verified before calls are tried again with exponential
// backoff.
type notFound struct {
	// alone says that the next calls are for this claim only: NOT_FOUND of a call for
	// several claims does not tell which of them the driver does not know.
	alone bool
	// lookUp says that the claim has to be looked up before the next call.
	lookUp bool
	// op is what the driver was called for.
	op Op
	// answers counts NOT_FOUND since the last success.
	answers int
	// verified is when the claim was found, cause what the driver said.
	verified time.Time
	cause    error
}

// Backoff says how long to wait after NOT_FOUND: First, then twice as long each time,
// at most Max.
type Backoff struct{ First, Max time.Duration }

func (b Backoff) after(answers int) time.Duration {
	wait := b.First
	for range answers - 1 {
		if wait >= b.Max {
			break
		}
		wait *= 2
	}
	return min(wait, b.Max)
}

// until returns when the next call is due, zero if it is. A clock that was set back
// does not make the wait longer.
func (n notFound) until(b Backoff, now time.Time) time.Time {
	due := n.verified.Add(b.after(n.answers))
	if n.answers == 0 || now.Before(n.verified) || !now.Before(due) {
		return time.Time{}
	}
	return due
}
