package main

import (
	"github.com/spf13/pflag"

	"github.com/dra-conformance/dratest/clusters"
)

// stackFlags say on the command line whose components a cluster has.
type stackFlags struct {
	all, scheduler string
}

func (f *stackFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.all, "stack", "", "whose components: stock, own, or a list as in scheduler=own")
	flags.StringVar(&f.scheduler, "scheduler", "", "whose scheduler: stock (Kubernetes' own) or own (dra-scheduler)")
}

// over is the stack that the flags ask for, with the rest taken from below.
func (f stackFlags) over(below clusters.Stack) (clusters.Stack, error) {
	var asked clusters.Stack
	if f.all != "" {
		var err error
		if asked, err = clusters.ParseStack(f.all); err != nil {
			return asked, withCode(codeUsage, err)
		}
	}
	asked = clusters.Stack{Scheduler: clusters.Implementation(f.scheduler)}.Over(asked).Over(below)
	return asked, withCode(codeUsage, asked.Validate())
}
