package components

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/prove"
)

// variable is what programs that cases start are told by; see package mutant.
const variable = "DRATEST_MUTANT"

// startedLimit is the time of cases that start programs: those begin, and devices are
// attached and detached. It is twice what the longest of them takes.
const startedLimit = time.Minute

// told runs cases with a mutant of a program that they start: it has the environment of this
// process. What is part of the cluster runs already, and does not.
func (p *Prover) told(ctx context.Context, m Mutant, t prove.Trial, dir string) (r schema.Report, err error) {
	if err := os.Setenv(variable, m.ID); err != nil {
		return r, fmt.Errorf("tell programs of mutant %s: %w", m.ID, err)
	}
	defer func() { err = errors.Join(err, os.Unsetenv(variable)) }()
	return p.inTurn(ctx, t, dir)
}

// removeNodes removes the simulated nodes that failed cases have left, which later ones
// would be given.
func removeNodes(ctx context.Context, client kubernetes.Interface, ours metav1.ListOptions) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, ours)
	if err != nil {
		return fmt.Errorf("list nodes that cases have left: %w", err)
	}
	var errs []error
	for _, n := range nodes.Items {
		if !strings.HasPrefix(n.Name, harness.NamespacePrefix) {
			continue
		}
		err := client.CoreV1().Nodes().Delete(ctx, n.Name, metav1.DeleteOptions{})
		if !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// starting tells whether one of these cases starts programs.
func starting(metas []spec.Meta, cases []string) bool {
	return slices.ContainsFunc(metas, func(m spec.Meta) bool {
		return slices.Contains(cases, m.ID) && (m.Needs.Classic || m.Needs.Composable || m.Needs.WhatIf)
	})
}
