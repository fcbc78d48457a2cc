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

// Package prove does proofs: lists of trials, each of which breaks one thing on purpose
// and checks that those notice who must. The record of what came out is on disk after
// each trial, so that a proof that was killed can be gone on with, and its trials can be
// shared out among machines.
//
// It knows no cluster: a Prover does the trials. Start with Run.
package prove
