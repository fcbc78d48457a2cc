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

package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// Ctrl-C during an outage lost it: only its end was measured.
func TestOngoingDowntimesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		client.PrependReactor("*", "*", func(k8stesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("away") })
		m := &meter{client: client, namespace: "n"}
		ctx, cancel := context.WithCancel(t.Context())
		go m.watchAPI(ctx)
		go m.schedulePods(ctx)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := m.longest; got.API < 9 || got.Scheduling < 9 {
			t.Errorf("after 10 s without an answer: %+v", got)
		}
		cancel()
		synctest.Wait()
	})
}
