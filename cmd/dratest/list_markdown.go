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

// writeCases writes a document of the cases matching a filter, for "dratest run", "dratest upgrade"
// and "dratest sanity".
func writeCases(out io.Writer, filter plan.Filter, upgrade bool) error {
	all := cases.Metas()
	if !upgrade {
		all = slices.Concat(run.Metas(parts().Cases), all, sanity.Metas())
	}
	metas, err := selected(all, filter)
	if err != nil {
		return err
	}
	return writeDocument(out, func(detections []catalogue.Detection) ([]byte, error) {
		gaps, err := requirements.Gaps()
		return catalogue.RenderCases(metas, requirements.All(), gaps, detections), err
	})
}

// writeMutants writes a document of all mutants and driver bugs, each with the cases detecting it.
func writeMutants(out io.Writer) error {
	return writeDocument(out, func(detections []catalogue.Detection) ([]byte, error) {
		mutants, err := catalogue.LoadMutants()
		return catalogue.RenderMutants(mutants, detections), err
	})
}

func writeDocument(out io.Writer, render func([]catalogue.Detection) ([]byte, error)) error {
	detections, err := catalogue.Detections()
	if err != nil {
		return err
	}
	data, err := render(detections)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
