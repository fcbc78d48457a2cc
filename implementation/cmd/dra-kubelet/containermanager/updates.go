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

package containermanager

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm/resourceupdates"
)

// fanIn merges the updates of both until ctx ends. The channel stays open.
func fanIn(ctx context.Context, claims <-chan []types.UID, others <-chan resourceupdates.Update) <-chan resourceupdates.Update {
	all := make(chan resourceupdates.Update)
	go func() {
		for {
			var update resourceupdates.Update
			var open bool
			select {
			case <-ctx.Done():
				return
			case pods := <-claims:
				update = podsUpdate(pods)
			case update, open = <-others:
				if !open {
					others = nil
					continue
				}
			}
			select {
			case <-ctx.Done():
				return
			case all <- update:
			}
		}
	}()
	return all
}

func podsUpdate(pods []types.UID) resourceupdates.Update {
	update := resourceupdates.Update{PodUIDs: make([]string, 0, len(pods))}
	for _, uid := range pods {
		update.PodUIDs = append(update.PodUIDs, string(uid))
	}
	return update
}
