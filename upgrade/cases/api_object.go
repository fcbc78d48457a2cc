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

package cases

import (
	"encoding/json"
	"maps"

	"k8s.io/client-go/rest"

	"github.com/dra-conformance/dratest/framework/harness"
)

type object = map[string]any

// collection is the REST path of one kind in one version of resource.k8s.io.
type collection struct {
	t    *harness.T
	path []string
}

func inVersion(t *harness.T, version, resource, namespace string) collection {
	path := []string{"/apis/resource.k8s.io", version}
	if namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	return collection{t, append(path, resource)}
}

func (c collection) create(o object) {
	o["apiVersion"] = "resource.k8s.io/" + c.path[1]
	c.t.Step("create %s %v as %s", o["kind"], o["metadata"], c.path[1])
	c.do(c.client().Post().AbsPath(c.path...), o)
}

func (c collection) get(name string) object {
	return c.do(c.client().Get().AbsPath(append(c.path, name)...), nil)
}

func (c collection) update(name string, o object) {
	c.do(c.client().Put().AbsPath(append(c.path, name)...), o)
}

func (c collection) client() rest.Interface { return c.t.Client.ResourceV1().RESTClient() }

func (c collection) do(request *rest.Request, body object) object {
	request = request.SetHeader("Accept", "application/json")
	if body != nil {
		content, err := json.Marshal(body)
		c.t.NoError(err, "write JSON")
		request = request.SetHeader("Content-Type", "application/json").Body(content)
	}
	content, err := request.Do(c.t.Context()).Raw()
	c.t.NoError(err, "%s: %s", request.URL(), content)
	var answer object
	c.t.NoError(json.Unmarshal(content, &answer), "read JSON")
	return answer
}

// flat removes an object's version and v1beta1's differences to the other versions: one level
// ("exactly" in requests, "basic" in devices), and the empty class in requests with alternatives.
func flat(o object) object {
	delete(o, "apiVersion")
	if metadata, ok := o["metadata"].(object); ok {
		delete(metadata, "managedFields")
	}
	return raise(o).(object)
}

func raise(value any) any {
	switch v := value.(type) {
	case object:
		out := object{}
		for key, inner := range v {
			switch inner = raise(inner); {
			case key == "exactly" || key == "basic":
				maps.Copy(out, inner.(object))
			case key == "deviceClassName" && inner == "":
			default:
				out[key] = inner
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = raise(v[i])
		}
	}
	return value
}
