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

// Package mutants lists bugs of DRA drivers that dra-sim can have, one at a time, to show that
// they are noticed. Most are told by the issue of the published driver that had
// them, and what is here only breaks dra-sim in the same way; the others break a promise
// that a check or a case is about, and that no published driver is known to have broken.
//
// Start with All; package broken has what each does.
package mutants
