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

// Package mutants lists bugs of DRA drivers that can be built into dra-sim, one at a time, to prove their detection.
// Most were reported in an issue of a published driver and are reproduced in dra-sim; the others violate a
// requirement covered by a check or case, without a published driver known to violate it.
//
// Start with All; package broken implements them.
package mutants
