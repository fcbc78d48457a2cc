package spec

// Defect is what is broken on purpose, to see that it is noticed: a fault, which is injected at run
// time, or a mutant, which is built into a program. What tests notice is a violation.
type Defect struct {
	// ID is its name on the command line.
	ID string `json:"id"`
	// What is broken, in a few words or a sentence.
	What string `json:"what"`
	// Requires are the promises that it breaks. A case that lists one of them must fail.
	Requires []RequirementID `json:"requires,omitempty"`
	// Issue of a published component or driver that was broken like this: "kubernetes#141274" or
	// "owner/repository#1"; empty if none is known.
	Issue string `json:"link,omitempty"`
}

// String is the defect in one line.
func (d Defect) String() string {
	if d.Issue == "" {
		return d.What
	}
	return d.Issue + ": " + d.What
}
