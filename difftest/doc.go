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

// Package difftest runs this project's allocator and upstream's on the same problems, compares
// their answers and minimizes differing problems. If upstream's search takes too long, difftest
// proves this project's answer instead (refusal, invalid). framework/problem/oracle gives a third
// opinion, independent of both allocators (ask). Packages problem and generate provide the
// problems. Start at Run.
package difftest
