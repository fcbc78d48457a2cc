package clusters

import (
	"errors"
	"fmt"
	"strings"
)

// Implementation says whose a component is.
type Implementation string

// The implementations. The empty one is what the cluster has, which is stock for
// a cluster that is made.
const (
	// Stock is Kubernetes' own component.
	Stock Implementation = "stock"
	// Own is this project's component (the module in implementation/).
	Own Implementation = "own"
)

// Stack says for each component whose it is.
type Stack struct {
	Scheduler Implementation `json:"scheduler,omitempty"`
}

// part is one component of a stack.
type part struct {
	name  string
	whose *Implementation
}

func (s *Stack) parts() []part {
	return []part{{"scheduler", &s.Scheduler}}
}

// ParseStack reads "stock" and "own", which stand for all components, and lists
// as "scheduler=own". Components that a list does not name stay empty.
func ParseStack(text string) (Stack, error) {
	var s Stack
	if whose := Implementation(text); whose == Stock || whose == Own {
		for _, p := range s.parts() {
			*p.whose = whose
		}
		return s, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		name, whose, ok := strings.Cut(item, "=")
		if !ok {
			return Stack{}, fmt.Errorf("stack: %q is neither stock, own nor a list as in scheduler=own", text)
		}
		if err := s.set(name, Implementation(whose)); err != nil {
			return Stack{}, err
		}
	}
	return s, s.Validate()
}

func (s *Stack) set(name string, whose Implementation) error {
	var known []string
	for _, p := range s.parts() {
		if p.name == name {
			*p.whose = whose
			return nil
		}
		known = append(known, p.name)
	}
	return fmt.Errorf("stack: no component %q can be chosen, known are %v", name, known)
}

// Validate returns all problems at once.
func (s Stack) Validate() error {
	var errs []error
	for _, p := range s.parts() {
		if whose := *p.whose; whose != "" && whose != Stock && whose != Own {
			errs = append(errs, fmt.Errorf("stack: %s: %q is neither %s nor %s", p.name, whose, Stock, Own))
		}
	}
	return errors.Join(errs...)
}

// Over returns the stack with the components that it leaves empty taken from below.
func (s Stack) Over(below Stack) Stack {
	from := below.parts()
	for i, p := range s.parts() {
		if *p.whose == "" {
			*p.whose = *from[i].whose
		}
	}
	return s
}

// AllStock is the stack of a cluster that nobody has changed.
func AllStock() Stack {
	s, _ := ParseStack(string(Stock))
	return s
}

// HasOwn tells whether any component is this project's.
func (s Stack) HasOwn() bool { return strings.Contains(s.String(), string(Own)) }

// String is "stock", the components that are not as in "scheduler=own", or empty
// where nothing is known.
func (s Stack) String() string {
	var own []string
	known := false
	for _, p := range s.parts() {
		known = known || *p.whose != ""
		if *p.whose != "" && *p.whose != Stock {
			own = append(own, p.name+"="+string(*p.whose))
		}
	}
	if known && len(own) == 0 {
		return string(Stock)
	}
	return strings.Join(own, ",")
}
