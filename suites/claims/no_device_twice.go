package claims

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoDeviceTwice has more claims than devices come at the same time.
var NoDeviceTwice = harness.Case{Meta: spec.Meta{
	ID: "claims/no-device-twice",
	Checks: "Of twenty pods that come at the same time, each with a claim for one of ten devices, ten are scheduled, no two of which have the same device; the others " +
		"wait, and get the devices when those are deallocated.",
	Requires: []spec.RequirementID{"kep-4381/in-flight-devices-not-shared"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	const number = 10
	class := devices(t, t.Nodes[0], number)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	var all sync.WaitGroup
	errs := make([]error, 2*number)
	for i := range errs {
		all.Go(func() {
			_, errs[i] = t.Client.CoreV1().Pods(t.Namespace).Create(t.Context(), objects.PodFromTemplate(fmt.Sprintf("pod-%d", i), t.Image, "template"), metav1.CreateOptions{})
		})
	}
	all.Wait()
	t.NoError(errors.Join(errs...), "create pods")
	settled := func() (scheduled []string) {
		t.Poll("all pods to be scheduled or to wait for devices", func(ctx context.Context) (bool, string, error) {
			pods, err := t.Client.CoreV1().Pods(t.Namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, "", err
			}
			waiting := 0
			scheduled = nil
			for _, p := range pods.Items {
				switch {
				case p.Spec.NodeName != "":
					scheduled = append(scheduled, p.Name)
				case harness.Unschedulable(&p, "cannot allocate all claims"):
					waiting++
				}
			}
			return len(scheduled)+waiting == len(pods.Items) && len(scheduled) == number, fmt.Sprintf("%d are scheduled, %d wait", len(scheduled), waiting), nil
		})
		return scheduled
	}
	check := func(pods []string) {
		given := map[string]string{}
		for _, pod := range pods {
			device := generated(t, pod).Status.Allocation.Devices.Results[0].Device
			t.Expect(given).NotTo(gomega.HaveKey(device), "device of pod %s, which others have", pod)
			given[device] = pod
		}
	}

	first := settled()
	check(first)
	for _, pod := range first {
		t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: t.Namespace}}, resources.WithGracePeriod(time.Second))
	}
	for _, pod := range first {
		t.WaitPodGone(pod)
	}
	second := settled()
	check(second)
}}
