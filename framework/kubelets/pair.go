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

package kubelets

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/spec"
)

// lag bounds the delay between the kubelets: some metrics appear only with their first event, possibly
// once a minute or only for some pods.
const lag = 2 * time.Minute

// pair are the compared kubelets.
type pair struct {
	stock, own kubelet
	// reviewed is the list of allowed differences, see readOneSided.
	reviewed map[string]spec.Provenance
}

// newPair finds the kubelets of two nodes and verifies their kinds.
func newPair(ctx context.Context, client kubernetes.Interface, stock, own string) (p pair, err error) {
	if p.reviewed, err = readOneSided(oneSidedList); err != nil {
		return p, err
	}
	if p.stock, err = newKubelet(ctx, client, stock, false); err != nil {
		return p, err
	}
	p.own, err = newKubelet(ctx, client, own, true)
	return p, err
}

// answer is the result of a comparison.
type answer struct {
	name        string
	compared    int
	differences []string
	// reviewed are the facts not compared, see dropReviewed.
	reviewed []string
}

// summary summarizes the answer, for example "configz=same".
func (a answer) summary() string {
	if n := len(a.differences); n > 0 {
		return fmt.Sprintf("%s=%d different", a.name, n)
	}
	if a.name == "metrics" {
		return fmt.Sprintf("metrics=%d values same", a.compared)
	}
	return a.name + "=same"
}

// compare queries both kubelets until they agree, or lag has passed. Before each query, live creates
// and deletes pods on both nodes.
func (p pair) compare(ctx context.Context, progress io.Writer, live func(context.Context) error) (answers []answer, err error) {
	end := time.Now().Add(lag)
	err = wait.PollUntilContextCancel(ctx, 2*time.Second, true, func(ctx context.Context) (bool, error) {
		if err := live(ctx); err != nil {
			return false, err
		}
		answers, err = p.ask(ctx)
		same := !slices.ContainsFunc(answers, func(a answer) bool { return len(a.differences) > 0 })
		return same || time.Now().After(end), err
	})
	for _, a := range answers {
		fmt.Fprintf(progress, "compared %d values of %s\n", a.compared, a.name)
		for _, name := range a.reviewed {
			fmt.Fprintf(progress, "not compared: only one kubelet serves %s, as onesided.yaml allows\n", name)
		}
	}
	return answers, err
}

// ask queries all paths of both kubelets once.
func (p pair) ask(ctx context.Context) (answers []answer, err error) {
	for _, question := range []struct {
		name, meaning string
		facts         func(kubelet, context.Context) (facts, error)
	}{
		{"configz", "the same flags and files make another configuration", kubelet.configz},
		{"flagz", "it has other flags than it was started with", kubelet.flagz},
		{"status", "schedulers and users see another node", kubelet.status},
		{"metrics", "what is built on this family sees something else (if one kubelet may serve it alone, add it to framework/kubelets/onesided.yaml with the reason)", kubelet.metrics},
	} {
		stock, err := question.facts(p.stock, ctx)
		if err != nil {
			return nil, err
		}
		own, err := question.facts(p.own, ctx)
		if err != nil {
			return nil, err
		}
		a := answer{name: question.name}
		if question.name == "metrics" {
			a.reviewed = dropReviewed(stock, own, p.reviewed)
		}
		a.compared, a.differences = len(stock), differences(stock, own, question.meaning)
		answers = append(answers, a)
	}
	return answers, nil
}
