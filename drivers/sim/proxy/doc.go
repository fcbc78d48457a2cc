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

// Package proxy stands between a kubelet and a driver of its node that is as its vendor has
// installed it, so that calls of any driver are recorded, and can be made to go wrong.
//
// A kubelet asks that instance of a driver which has registered last (k8s.io/kubernetes
// v1.37.1, pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go, get), as during a rolling
// update: the proxy is one, and forwards to the driver's own socket. It is gone when the
// driver's process is, so that slices of drivers that are gone are still removed.
//
// Start with Start.
package proxy
