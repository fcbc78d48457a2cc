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

// Package modules builds programs of clusters from pinned Go modules: Kubernetes, etcd, containerd, kwok. One pair of
// go.mod and go.sum per Kubernetes version is embedded (docs/adr/0001 says why). Start at Kubernetes, Runtime, Etcd,
// Kwok and Builder.
package modules
