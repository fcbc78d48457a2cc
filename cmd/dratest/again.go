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
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/framework/run"
)

// againFlags resume an earlier run.
type againFlags struct {
	resume bool
	rerun  string
}

func (f *againFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.resume, "resume", false, "resume the interrupted run in --report-dir: run the cases without a verdict")
	flags.StringVar(&f.rerun, "rerun-failed", "", "rerun the failed cases of the report in this directory and update it; cases that pass only on rerun leave the run incomplete")
}

// complete translates the flags into options. The selection of cases is that of the earlier run.
func (f *againFlags) complete(flags *pflag.FlagSet, o *run.Options) error {
	if !f.resume && f.rerun == "" {
		return nil
	}
	for _, name := range []string{"focus", "skip", "profile", "label-filter", "mutant", "expectations", "strict", "assume-stock", "timeout-scale", "repeat", "dry-run", "versions"} {
		if flags.Changed(name) {
			return withCode(codeUsage, fmt.Errorf("%s: cannot be given with --resume or --rerun-failed, which run what the earlier run was asked for", name))
		}
	}
	switch {
	case f.resume && f.rerun != "":
		return withCode(codeUsage, errors.New("resume: --rerun-failed runs cases without a verdict, too: leave one of them out"))
	case f.resume:
		o.Again = run.Unfinished
	case o.ReportDir != "" && o.ReportDir != f.rerun:
		return withCode(codeUsage, errors.New("report-dir: --rerun-failed adds to the report in its own directory: leave it out"))
	default:
		o.Again, o.ReportDir = run.Failures, f.rerun
	}
	return nil
}
