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

package sanity

import (
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dra-conformance/dratest/framework/spec"
)

// checkpointDamaged is about: kubernetes-sigs/dra-example-driver#240.
var checkpointDamaged = Check{Meta: spec.Meta{
	ID:       "sanity/checkpoint-damaged",
	Checks:   "With a corrupt checkpoint the driver answers calls and keeps CDI devices, and recovers with the restored file.",
	Requires: []spec.RequirementID{"kubeletplugin/one-result-per-claim", "kep-4381/cdi-files-exist"},
}, Source: "kubernetes-sigs/dra-example-driver#240", Run: func(t *T) {
	files, ok := t.NodeAccess.(Files)
	if !ok || len(t.CheckpointPaths) == 0 {
		t.NotApplicablef("needs the paths of the driver's checkpoints: declare deploy.checkpointPaths (-f)")
	}
	devices := t.Devices(2)
	kept, ended := t.One(devices[0]), t.One(devices[1])
	unprepared := t.CDI()
	first := t.Prepare(kept, "a claim")
	answer := t.Prepare(ended, "another claim")
	before := t.CDI()
	t.damaged(files, func() {
		_, err := t.unprepare(t.ctx, ended)
		t.answered(err, "unprepare a claim while the checkpoint is damaged")
		_, err = t.prepare(t.ctx, kept)
		t.answered(err, "prepare a claim again while the checkpoint is damaged")
		t.expect(t.CDI().changed(before, ids(first)), "a prepared claim, while the checkpoint was damaged")
	})
	t.Unprepare(ended, "a claim after the checkpoint was damaged")
	t.expect(t.CDI().left(unprepared, ended, ids(answer)), "after unprepare")
}}

// answered ends the check if the driver did not answer; errors are answers.
func (t *T) answered(err error, what string) {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		t.Failf("%s: there is no answer (has the driver crashed?): %v", what, err)
	default:
	}
}

// damaged runs a function while the driver's checkpoints are corrupt.
func (t *T) damaged(files Files, do func()) {
	restore := sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closing)
		defer cancel()
		var errs []error
		for _, path := range t.CheckpointPaths {
			errs = append(errs, files.Restore(ctx, path))
		}
		return errors.Join(errs...)
	})
	defer func() { _ = restore() }()
	for _, path := range t.CheckpointPaths {
		t.need(files.Damage(t.ctx, path), "damage a checkpoint")
	}
	do()
	t.need(restore(), "restore a checkpoint")
}
