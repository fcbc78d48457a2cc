package harness

import (
	"github.com/onsi/ginkgo/v2"
)

// Register turns cases into Ginkgo specs. PLACEHOLDER: the harness brings its own.
func Register(cases []Case, _ func() *Env) {
	for _, c := range cases {
		ginkgo.It(c.ID+" "+c.Checks, func() { c.Run(&T{}) })
	}
}
