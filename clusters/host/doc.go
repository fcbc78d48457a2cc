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

// Package host checks this machine's prerequisites for test clusters and can install and start a container engine.
//
// Facts are gathered (gather.go, engine.go, probe.go) and judged by a function without side effects (judge.go). Fix
// installs with apt-get (install.go) and starts dockerd (start.go, leftovers.go). A running engine is never
// reconfigured or restarted.
//
// The packages images and kind are the engine's clients. Start at Check, Fix and Ensure.
package host
