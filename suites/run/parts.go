package run

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// Parts are what a run is put together from.
type Parts struct {
	testbed.Parts

	Cases []harness.Case
	// Register turns cases into Ginkgo specs; nil means harness.Register.
	Register func(cases []harness.Case, env func() *harness.Env)
}

func (p Parts) register(cases []harness.Case, env func() *harness.Env) {
	if p.Register != nil {
		p.Register(cases, env)
		return
	}
	harness.Register(cases, env)
}

// Metas returns the data of the cases, in their order.
func Metas(cases []harness.Case) []spec.Meta {
	metas := make([]spec.Meta, 0, len(cases))
	for _, c := range cases {
		metas = append(metas, c.Meta)
	}
	return metas
}
