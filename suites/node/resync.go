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

package node

import "time"

// Retry times of the kubelet, after failures to prepare claims or terminate a pod.
const (
	waitsForResync = "The kubelet retries a pod with unprepared claims after its syncFrequency plus up to half of it: " +
		"60 to 90 s by default, 6 to 9 s in clusters created by dratest (k8s.io/kubernetes v1.37.1 pkg/kubelet/pod_workers.go)."
	waitsToTerminate = "The kubelet tries to terminate a pod again after 10 s or more (k8s.io/kubernetes v1.37.1 pkg/kubelet/pod_workers.go)."
	resyncTimeout    = 4 * time.Minute
)

// notPrepared is the event reason for claims not prepared.
const notPrepared = "FailedPrepareDynamicResources"
