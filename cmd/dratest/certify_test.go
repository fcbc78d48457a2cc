package main

import (
	"fmt"
	"testing"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/suites/certify"
)

func TestCertifyReadsTheDeclaredKubeletRoot(t *testing.T) {
	d := declarations.Declaration{Nodes: declarations.Nodes{KubeletRoot: "/var/lib/k0s/kubelet"}}
	if got := (certifyFlags{agentImage: "x:1"}).agents(d).Config; got.KubeletRoot != d.Nodes.KubeletRoot || got.Image != "x:1" {
		t.Errorf("agents are %+v", got)
	}
}

func TestCertifyExitCodes(t *testing.T) {
	hook := fmt.Errorf("%w: hook uninstall", certify.ErrNotThere)
	for _, tc := range []struct {
		verdict certify.Verdict
		err     error
		code    int
	}{
		{certify.NotCertified, nil, codeCasesFailed},
		{certify.NotCertified, hook, codeCasesFailed},
		{certify.NotCertified, certify.ErrDriver, codeCasesFailed},
		{certify.Incomplete, nil, codeIncomplete},
		{certify.Incomplete, hook, codeIncomplete},
		{"", hook, codeEnvironment},
		{"", certify.ErrDeclaration, codeUsage},
		{"", reports.ErrInUse, codeUsage},
	} {
		if err := certifyError(certify.Judgement{Verdict: tc.verdict}, tc.err); err == nil || exitCode(err) != tc.code {
			t.Errorf("%s and %v: %v, want exit code %d", tc.verdict, tc.err, err, tc.code)
		}
	}
	if err := certifyError(certify.Judgement{Verdict: certify.Certified}, nil); err != nil {
		t.Errorf("certified: %v", err)
	}
}
