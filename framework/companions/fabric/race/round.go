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

package race

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/dra-conformance/dratest/framework/objects"
)

const (
	namespace = "default"
	// patience bounds each step of a round.
	patience = 3 * time.Minute
)

type race struct {
	fabric  shared
	clients [2]kubernetes.Interface
}

type outcome struct {
	// winner is the cluster with the bound pod.
	winner string
	// both: the pods of both clusters were.
	both bool
	// holder is the cluster with the device then.
	holder string
	// refused: the fabric rejected the request of the loser's controller because no device was left; otherwise the
	// device was no longer published when the pod came.
	refused bool
	// second is the cluster with the pod bound after the winner was gone.
	second string
}

func (o outcome) problem() string {
	switch {
	case o.both:
		return "two winners"
	case o.winner == "":
		return "no winner"
	case o.holder != o.winner:
		return fmt.Sprintf("the pod of %s is bound, and %q has the device", o.winner, o.holder)
	case o.second == "" || o.second == o.winner:
		return "the loser's pod was not scheduled anew"
	}
	return ""
}

func (o outcome) String() string {
	if p := o.problem(); p != "" {
		return p
	}
	how := "found nothing published"
	if o.refused {
		how = "was refused the device"
	}
	return fmt.Sprintf("%s won, %s %s and got it afterwards", o.winner, o.second, how)
}

type summary struct {
	rounds, refused int
	wins            map[string]int
	problems        []string
}

func (s *summary) add(o outcome) {
	s.rounds++
	if o.refused {
		s.refused++
	}
	if p := o.problem(); p != "" {
		s.problems = append(s.problems, fmt.Sprintf("round %d: %s", s.rounds, p))
		return
	}
	if s.wins == nil {
		s.wins = map[string]int{}
	}
	s.wins[o.winner]++
}

// good reports whether all rounds succeeded and there was a race: losers always too late to send a request prove
// nothing.
func (s summary) good(rounds int) bool {
	return s.rounds == rounds && len(s.problems) == 0 && s.refused > 0
}

func (s summary) String() string {
	names := clusterNames()
	text := fmt.Sprintf("%d rounds: %s won %d, %s won %d; %d losers were refused their allocated device; %d violations",
		s.rounds, names[0], s.wins[names[0]], names[1], s.wins[names[1]], s.refused, len(s.problems))
	return strings.Join(append([]string{text}, s.problems...), "\n")
}

// round has both clusters want the device at once.
func (r race) round(ctx context.Context, n int) (o outcome, err error) {
	name := fmt.Sprintf("pod-%d", n)
	if err := r.await(ctx, "the device to be published in both clusters", r.published); err != nil {
		return o, err
	}
	group, creating := errgroup.WithContext(ctx)
	for _, client := range r.clients {
		group.Go(func() error { return create(creating, client, name) })
	}
	if err := group.Wait(); err != nil {
		return o, fmt.Errorf("create pods with claims: %w", err)
	}
	loser, err := r.awaitWinner(ctx, name, &o)
	if err != nil || o.problem() == "two winners" {
		return o, err
	}
	if o.holder, err = r.fabric.holder(ctx); err != nil {
		return o, err
	}
	if o.refused, err = refused(ctx, r.clients[loser], name); err != nil {
		return o, err
	}
	if err := remove(ctx, r.clients[1-loser], name); err != nil {
		return o, err
	}
	err = r.await(ctx, "the loser's pod to be bound", func(ctx context.Context) (bool, error) {
		_, bound, err := look(ctx, r.clients[loser], name)
		return bound, err
	})
	if err != nil {
		return o, err
	}
	o.second = clusterNames()[loser]
	return o, remove(ctx, r.clients[loser], name)
}

// awaitWinner waits until one pod is bound and the other cluster's scheduler has found its pod unschedulable, and
// returns the winner.
func (r race) awaitWinner(ctx context.Context, name string, o *outcome) (loser int, err error) {
	err = r.await(ctx, "one pod to be bound and the other one not", func(ctx context.Context) (bool, error) {
		var waits, bound [2]bool
		for i, client := range r.clients {
			if waits[i], bound[i], err = look(ctx, client, name); err != nil {
				return false, err
			}
			if bound[i] {
				o.winner, loser = clusterNames()[i], 1-i
			}
		}
		o.both = bound[0] && bound[1]
		return o.both || bound[1-loser] && waits[loser], nil
	})
	return loser, err
}

// await waits for a condition until patience ends.
func (r race) await(ctx context.Context, what string, look wait.ConditionWithContextFunc) error {
	if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, look); err != nil {
		return fmt.Errorf("wait for %s: %w", what, err)
	}
	return nil
}

// published is whether both clusters could allocate the device.
func (r race) published(ctx context.Context) (bool, error) {
	for _, client := range r.clients {
		list, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		devices := 0
		for _, slice := range list.Items {
			devices += len(slice.Spec.Devices)
		}
		if devices != 1 {
			return false, nil
		}
	}
	return true, nil
}

func create(ctx context.Context, client kubernetes.Interface, name string) error {
	if _, err := client.ResourceV1().ResourceClaims(namespace).Create(ctx, objects.Claim(name, objects.Request("req", driver)), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := client.CoreV1().Pods(namespace).Create(ctx, objects.Pod(name, "none", name), metav1.CreateOptions{})
	return err
}

// look reports whether a pod is unschedulable or bound.
func look(ctx context.Context, client kubernetes.Interface, name string) (waits, bound bool, err error) {
	pod, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, false, err
	}
	for _, c := range pod.Status.Conditions {
		waits = waits || c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse
	}
	return waits, pod.Spec.NodeName != "", nil
}

// refused reports whether the fabric rejected the attach request for a claim because no device was left.
func refused(ctx context.Context, client kubernetes.Interface, name string) (bool, error) {
	events, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, e := range events.Items {
		if e.InvolvedObject.Name == name && e.Reason == "NoneFree" {
			return true, nil
		}
	}
	return false, nil
}

// remove deletes a pod and its claim, and waits until the claim is gone.
func remove(ctx context.Context, client kubernetes.Interface, name string) error {
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	if err := client.CoreV1().Pods(namespace).Delete(ctx, name, now); err != nil {
		return err
	}
	claims := client.ResourceV1().ResourceClaims(namespace)
	if err := claims.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		_, err := claims.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}
