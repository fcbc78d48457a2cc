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

// Package kubelet is the kubelet's DRA manager: it fetches claims, calls nodeplan and executes its
// steps: it writes the checkpoint, calls drivers, returns the CDI devices of containers and
// publishes device health.
//
// It is not a kubelet: cmd/dra-kubelet builds it into one. It does not depend on k8s.io/kubernetes:
// metrics, feature gates and the plugin watcher are passed in with Config or call the Manager's
// methods.
//
// Start at Manager. Prepare and Unprepare are in pods.go, with one file each for registration,
// calls, checkpoint, CDI, health, status, removal of ResourceSlices. docs/adr/0012 lists all
// differences from the kubelet's own manager.
package kubelet
