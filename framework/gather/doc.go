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

// Package gather collects DRA diagnostics from any cluster: objects, events, logs, metrics, files on nodes, and
// findings of package audit. It only reads; Secrets and ConfigMaps are never requested. Confidential values such as
// environment variables are removed from objects (Pod, Clean, CDI), and from all files as far as known (Scrubber).
//
// Start with Gather.
package gather
