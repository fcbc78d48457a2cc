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

package testbed

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

// upgradeMark is an annotation of spec.SystemNamespace, with an upgrade's ID and description. It keeps other runs from
// the cluster between the processes of the upgrade: at their end they would remove its agents.
const upgradeMark = "dra-conformance.github.io/upgrade"

// MarkUpgrade reserves a cluster for the processes of the upgrade of Config, until Uninstall.
func (b *Testbed) MarkUpgrade(ctx context.Context, description string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{upgradeMark: b.upgrade + " " + description}}})
	if err == nil {
		_, err = b.Client.CoreV1().Namespaces().Patch(ctx, spec.SystemNamespace, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return fmt.Errorf("reserve the cluster for the upgrade: %w", err)
	}
	return nil
}

// expectMark fails if another upgrade has marked the cluster. Errors: ErrReserved.
func (b *Testbed) expectMark(ctx context.Context) error {
	ns, err := b.Client.CoreV1().Namespaces().Get(ctx, spec.SystemNamespace, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for an upgrade: %w", err)
	}
	id, description, _ := strings.Cut(ns.Annotations[upgradeMark], " ")
	if id == "" || id == b.upgrade {
		return nil
	}
	return fmt.Errorf("%w: an upgrade of this cluster has begun (%s): run \"dratest upgrade end\" with that report directory; "+
		"if the directory is lost, abandon the upgrade with \"kubectl annotate namespace %s %s-\", and the next run removes its objects",
		ErrReserved, description, spec.SystemNamespace, upgradeMark)
}
