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

// Package run takes a cluster with running claims along a path (package path), step by step (package change), runs
// the parts of the cases between the steps (package cases), measures downtimes, and reports.
//
// Its record is written after each part, so a run can be resumed after an interruption, a pause, or a failed
// component. Start with Run; record.go has the file.
package run
