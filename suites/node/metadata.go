package node

import (
	"encoding/json"
	"strings"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// endOfFile is between the parts of what the container of case node/metadata shows.
const endOfFile = "-- end of file"

// metadataOf is what a file with metadata says, in one version of the API.
type metadataOf struct {
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		Name, Namespace, UID string
	} `json:"metadata"`
	Requests []struct {
		Name    string `json:"name"`
		Devices []struct {
			Driver, Pool, Name string
		} `json:"devices"`
	} `json:"requests"`
}

// Metadata has containers look for the file about their devices.
var Metadata = harness.Case{Meta: spec.Meta{
	ID: "node/metadata",
	Checks: "A container whose driver has the library write metadata finds for each request of its claim a file that it cannot write, with the same data in both versions of " +
		"the API, the newest first; a CDI device beside those of the driver brings it, and is gone with the claim." +
		" It shows the library of k8s.io/dynamic-resource-allocation in the test driver, not a vendor's driver.",
	Requires: []spec.RequirementID{"kubeletplugin/metadata-file", "kubeletplugin/metadata-versions", "kubeletplugin/metadata-cdi-spec"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-metadata-newest-only"},
}, Run: func(t *harness.T) {
	driver := t.SecondDriverAs(profiles.TwoDevices(), func(c *spec.DriverConfig) { c.Metadata = true })
	class := objects.Class(driver.Name, driver.Name)
	t.Create(class, objects.Claim("claim", objects.Request("one", class.Name), objects.Request("two", class.Name)))
	pod := objects.Pod("pod", t.Image, "claim")
	// k8s.io/dynamic-resource-allocation v0.37.1, api/metadata/doc.go; EnableDeviceMetadata tells of an older path.
	const dir = "/var/run/kubernetes.io/dra-device-attributes/resourceclaims/claim/"
	script := `for r in one two; do f=` + dir + `$r/` + driver.Name + `-metadata.json; cat $f; echo; echo "` + endOfFile + `"; ` +
		`if echo x 2>/dev/null >>$f; then echo "WRITTEN $r"; fi; done; `
	pod.Spec.Containers[0] = objects.Container("main", t.Image, script+objects.ShowAndStay, "claim")
	t.RunPod(pod)
	claim := t.WaitAllocated("claim")

	shown := t.Shown("pod", "main")
	t.Expect(shown).NotTo(gomega.ContainSubstring("WRITTEN"), "what a container may write")
	files := strings.Split(shown, endOfFile)
	for i, r := range claim.Status.Allocation.Devices.Results {
		decoder := json.NewDecoder(strings.NewReader(files[i]))
		for _, version := range []string{"v1beta1", "v1alpha1"} {
			var m metadataOf
			t.NoError(decoder.Decode(&m), "read the file of request %s in %s:\n%s", r.Request, version, files[i])
			t.Expect(m.APIVersion).To(gomega.Equal("metadata.resource.k8s.io/"+version), "version, the newest first")
			t.Expect([]string{m.Metadata.Name, m.Metadata.Namespace, m.Metadata.UID}).To(gomega.Equal([]string{"claim", t.Namespace, string(claim.UID)}), "claim in %s", version)
			t.Expect(m.Requests).To(gomega.HaveLen(1), "requests in %s", version)
			t.Expect(m.Requests[0].Name).To(gomega.Equal(r.Request), "request in %s", version)
			t.Expect(m.Requests[0].Devices).To(gomega.HaveLen(1), "devices in %s", version)
			d := m.Requests[0].Devices[0]
			t.Expect([]string{d.Driver, d.Pool, d.Name}).To(gomega.Equal([]string{r.Driver, r.Pool, r.Device}), "device in %s", version)
		}
	}
	t.Expect(t.CDIDevices(t.WaitRunning("pod"), "main")).To(gomega.HaveLen(4), "CDI devices: one of the driver and one with metadata for each request")
	t.RemovePod("pod")
	driver.AwaitUnprepared()
}}
