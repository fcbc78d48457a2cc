package certify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// snapshot is what is in a cluster and on its nodes besides dratest: by what it is called,
// what it was.
type snapshot map[string]string

// onNodes starts the names of what lies on nodes, which nobody but kubelets and drivers
// writes.
const onNodes = "on node "

// take takes a snapshot of the cluster and of these nodes.
func take(ctx context.Context, b *testbed.Testbed, nodes []string) (snapshot, error) {
	s := snapshot{}
	all := metav1.ListOptions{}
	resource := b.Client.ResourceV1()
	sliceList, err := resource.ResourceSlices().List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list ResourceSlices: %w", err)
	}
	for _, o := range sliceList.Items {
		s.object("ResourceSlice", o.ObjectMeta, o.Spec)
	}
	claims, err := resource.ResourceClaims(metav1.NamespaceAll).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	for _, o := range claims.Items {
		s.object("ResourceClaim", o.ObjectMeta, o.Spec, o.Status)
	}
	classes, err := resource.DeviceClasses().List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list device classes: %w", err)
	}
	for _, o := range classes.Items {
		s.object("DeviceClass", o.ObjectMeta, o.Spec)
	}
	pods, err := b.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	for _, o := range pods.Items {
		s.object("Pod", o.ObjectMeta, o.UID, o.Spec.NodeName, o.Status.Phase, restarts(o))
	}
	list, err := b.Client.CoreV1().Nodes().List(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	for _, o := range list.Items {
		s.object("Node", o.ObjectMeta, o.Labels, o.Spec)
	}
	return s, s.takeNodes(ctx, b, nodes)
}

func restarts(p corev1.Pod) int32 {
	var n int32
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return n
}

// object adds one, unless it is dratest's.
func (s snapshot) object(kind string, m metav1.ObjectMeta, parts ...any) {
	if m.Labels[spec.LabelManagedBy] == spec.ManagedBy || m.Namespace == spec.SystemNamespace || strings.HasPrefix(m.Namespace, namespacePrefix) {
		return
	}
	data, err := json.Marshal(parts)
	if err != nil {
		data = []byte(err.Error()) // no type of the API does that
	}
	s[strings.TrimSuffix(kind+" "+strings.TrimPrefix(m.Namespace+"/"+m.Name, "/"), "/")] = digest(data)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// checkpoint is the name of the file in which kubelets keep claims that are prepared.
const checkpoint = "dra_manager_state"

var claimUID = regexp.MustCompile(`\\"ClaimUID\\":\\"([0-9a-f-]+)\\"`)

// takeNodes adds CDI files, sockets and the claims in kubelets' checkpoints.
func (s snapshot) takeNodes(ctx context.Context, b *testbed.Testbed, nodes []string) error {
	reader, err := b.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("connect to the agents: %w", err)
	}
	for _, node := range nodes {
		// That there is no checkpoint yet, or no journal, is no problem here.
		files, err := reader.Evidence(ctx, node, time.Now())
		if files == nil {
			return fmt.Errorf("read node %s: %w", node, err)
		}
		at := onNodes + node + ": "
		for name, content := range files {
			if strings.HasPrefix(name, "cdi/") {
				s[at+"CDI file "+strings.TrimPrefix(name, "cdi/")] = digest(content)
			}
		}
		for socket := range strings.FieldsSeq(string(files["sockets"])) {
			s[at+"socket "+socket] = "there"
		}
		for _, m := range claimUID.FindAllStringSubmatch(string(files[checkpoint]), -1) {
			s[at+"claim "+m[1]+" in the kubelet's checkpoint"] = "there"
		}
	}
	return nil
}

// changes says what is other in after than in before.
func changes(before, after snapshot) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch now, there := after[name]; {
		case !there:
			list = append(list, name+" is gone")
		case now != before[name]:
			list = append(list, name+" has changed")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, there := before[name]; !there {
			list = append(list, name+" is new")
		}
	}
	return list
}
