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

// Package controlplane is the provider of clusters that are processes of this
// machine: etcd, kube-apiserver, kube-scheduler and the controllers, with nodes that
// kwok simulates. No container runs, so it serves cases that need no node, and what
// only places pods. It does not build the programs; Programs says where they come
// from. Start at Provider and, for what runs with which arguments, at commands.
package controlplane
