package main

import (
	"io"
	"slices"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/suites/catalogue"
	"github.com/dra-conformance/dratest/suites/requirements"
	"github.com/dra-conformance/dratest/suites/sanity"
	"github.com/dra-conformance/dratest/upgrade/cases"
)

// writeCases writes a document of the cases that a filter keeps: those of "dratest run",
// "dratest upgrade" and "dratest sanity".
func writeCases(out io.Writer, filter plan.Filter, upgrade bool) error {
	all := cases.Metas()
	if !upgrade {
		all = slices.Concat(run.Metas(parts().Cases), all, sanity.Metas())
	}
	metas, err := plan.Select(all, filter)
	if err != nil {
		return withCode(codeUsage, err)
	}
	return writeDocument(out, func(kills []catalogue.Kill) ([]byte, error) {
		texts, err := requirements.Load()
		return catalogue.RenderCases(metas, texts, kills), err
	})
}

// writeMutants writes a document of all mutants and driver bugs with the cases that detect them.
func writeMutants(out io.Writer) error {
	return writeDocument(out, func(kills []catalogue.Kill) ([]byte, error) {
		broken, err := catalogue.LoadBroken()
		return catalogue.RenderMutants(broken, kills), err
	})
}

func writeDocument(out io.Writer, render func([]catalogue.Kill) ([]byte, error)) error {
	kills, err := catalogue.Kills()
	if err != nil {
		return err
	}
	data, err := render(kills)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
