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

package main

import (
	"fmt"
	"testing"

	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestAgentsReadTheDeclaredKubeletRoot(t *testing.T) {
	const root = "/var/lib/k0s/kubelet"
	if got := agentsAt(imageFlags{agent: "x:1"}, root).Config; got.KubeletRoot != root || got.Image != "x:1" {
		t.Errorf("agents are %+v", got)
	}
}

func TestCertifyExitCodes(t *testing.T) {
	hook := fmt.Errorf("%w: hook uninstall", certify.ErrNotThere)
	for _, tc := range []struct {
		verdict schema.DriverVerdict
		err     error
		code    int
	}{
		{schema.DriverNotCertified, nil, codeCasesFailed},
		{schema.DriverNotCertified, hook, codeCasesFailed},
		{schema.DriverNotCertified, certify.ErrDriver, codeCasesFailed},
		{schema.DriverIncomplete, nil, codeIncomplete},
		{schema.DriverIncomplete, hook, codeIncomplete},
		{"", hook, codeEnvironment},
		{"", certify.ErrDeclaration, codeUsage},
		{"", reports.ErrInUse, codeUsage},
	} {
		if err := certifyError(certificate(tc.verdict), tc.err); err == nil || exitCode(err) != tc.code {
			t.Errorf("%s and %v: %v, want exit code %d", tc.verdict, tc.err, err, tc.code)
		}
	}
	if err := certifyError(certificate(schema.DriverCertified), nil); err != nil {
		t.Errorf("certified: %v", err)
	}
}

func certificate(verdict schema.DriverVerdict) schema.Certificate {
	return schema.Certificate{Judgement: schema.Judgement{Verdict: verdict}}
}
