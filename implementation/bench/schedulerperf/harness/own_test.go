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

package harness

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	draplugin "github.com/dra-conformance/dratest/implementation/cmd/dra-scheduler/plugin"
	"github.com/dra-conformance/dratest/implementation/scheduler"
)

// ownName is the name of this project's plugin in configurations.
const ownName = scheduler.Name

// own makes the plugin for a scheduler of its own, like dra-scheduler.
func own(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return draplugin.Factory().New(ctx, args, handle)
}
