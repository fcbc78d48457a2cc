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

// Package plots draws the measurements of package perf as one self-contained HTML page: ratios with
// their intervals, latencies, growth, and the trend over several runs. It is pure: records in, SVG and
// HTML out. The reference is hollow or dashed, the candidate filled or solid.
//
// Start with Page.
package plots
