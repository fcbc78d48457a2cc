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

package celeval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

const driver = "driver.example.com"

// model is the content of a device with a model, a version and some memory.
func model(name string) *inventory.Content {
	return &inventory.Content{
		Driver:                   driver,
		AllowMultipleAllocations: ptr.To(true),
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model":   {StringValue: &name},
			"version": {VersionValue: ptr.To("1.2.3")},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory": {Value: resource.MustParse("10Gi")},
		},
	}
}

func attribute(name string) string { return fmt.Sprintf("device.attributes[%q].%s", driver, name) }

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		expression string
		want       bool
	}{
		{`device.driver == "driver.example.com"`, true},
		{attribute("model") + ` == "a100"`, true},
		{attribute("model") + ` == "h100"`, false},
		{attribute("version") + `.isGreaterThan(semver("1.0.0"))`, true},
		{fmt.Sprintf("device.capacity[%q].memory.isLessThan(quantity('1Gi'))", driver), false},
		{`device.allowMultipleAllocations`, true},
	} {
		t.Run(c.expression, func(t *testing.T) {
			p := New(Config{}).Compile(c.expression)
			for range 2 { // The second result is cached.
				if got, err := p.Match(t.Context(), model("a100")); got != c.want || err != nil {
					t.Errorf("got %v, %v, want %v", got, err, c.want)
				}
			}
		})
	}
}

// Messages equal those of Kubernetes to the letter.
func TestCompileErrors(t *testing.T) {
	for _, expression := range []string{"", "device.", "1 + 1", `"text"`, "noSuchVariable", "device.noSuchField"} {
		t.Run(expression, func(t *testing.T) {
			want := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true}).
				CompileCELExpression(expression, cel.Options{DisableCostEstimation: true}).Error
			p := New(Config{}).Compile(expression)
			if want == nil || p.Err() == nil || p.Err().Error() != want.Error() {
				t.Fatalf("got error %v, want %v", p.Err(), want)
			}
			if matches, err := p.Match(t.Context(), model("a100")); matches || !errors.Is(err, p.Err()) {
				t.Errorf("got %v, %v from an expression that does not compile", matches, err)
			}
		})
	}
	if err := New(Config{}).Compile("true").Err(); err != nil {
		t.Errorf("unexpected error %v", err)
	}
}

func TestRuntimeErrors(t *testing.T) {
	expensive := `"a".matches("a") && ` + strings.Repeat(`[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, `, 2) +
		"true" + strings.Repeat(")))", 2)
	for _, c := range []struct{ name, expression, want string }{
		{"missing attribute", attribute("missing") + " == 1", "no such key: missing. consider using CEL optional chaining"},
		{"cost", expensive, "actual cost limit exceeded"},
		{"not a bool", attribute("model"), "CEL result of type string could not be converted to bool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			compilations := 0
			cache := New(Config{})
			cache.compile = func(expression string) cel.CompilationResult {
				compilations++
				return compileSelector(expression)
			}
			p := cache.Compile(c.expression)
			content := model("a100")
			_, first := p.Match(t.Context(), content)
			_, second := p.Match(t.Context(), content)
			if first == nil || !strings.Contains(first.Error(), c.want) {
				t.Fatalf("got error %v, want %s", first, c.want)
			}
			if !errors.Is(second, first) {
				t.Errorf("the error was not remembered")
			}
			if compilations != 1 {
				t.Errorf("compiled %d times", compilations)
			}
		})
	}
}

func TestUnsupportedAttribute(t *testing.T) {
	content := model("a100")
	content.Attributes["new"] = resourceapi.DeviceAttribute{}
	if _, err := New(Config{}).Compile("true").Match(t.Context(), content); err == nil || !strings.Contains(err.Error(), "attribute new") {
		t.Errorf("got error %v for an attribute without a known value", err)
	}
}

// An interrupted evaluation has no result for the device.
func TestErrorsOfTheContextAreNotRemembered(t *testing.T) {
	long := "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, true)))"
	p, content := New(Config{}).Compile(long), model("a100")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("out of time")
	cancel(reason)
	if _, err := p.Match(ctx, content); !errors.Is(err, reason) {
		t.Fatalf("got error %v, want the cause of the context's end", err)
	}
	if matches, err := p.Match(t.Context(), content); !matches || err != nil {
		t.Errorf("got %v, %v afterwards", matches, err)
	}
}

func TestProgramsAreCompiledOnceAndDroppedWhenTooMany(t *testing.T) {
	c := New(Config{Expressions: 2})
	compiled := map[string]int{}
	c.compile = func(expression string) cel.CompilationResult {
		compiled[expression]++
		return compileSelector(expression)
	}
	for _, expression := range []string{"true", "false", "true", "1 == 1", "true", "false"} {
		if err := c.Compile(expression).Err(); err != nil {
			t.Error(err)
		}
	}
	// "false" was the least recently used when "1 == 1" came.
	if compiled["true"] != 1 || compiled["false"] != 2 || compiled["1 == 1"] != 1 {
		t.Errorf("compiled %v", compiled)
	}
}

func TestResultsAreBounded(t *testing.T) {
	p := New(Config{Results: 3}).Compile(attribute("model") + ` == "m1"`)
	for i := range 20 {
		name := fmt.Sprint("m", i)
		if matches, err := p.Match(t.Context(), model(name)); matches != (name == "m1") || err != nil {
			t.Errorf("%s: got %v, %v", name, matches, err)
		}
		entries := 0
		p.results.Load().entries.Range(func(any, any) bool { entries++; return true })
		if size := p.results.Load().size.Load(); entries > 3 || int64(entries) != size || entries == 0 {
			t.Errorf("%d results are kept, counted as %d", entries, size)
		}
	}
}

func TestResultsOfAllProgramsAreBounded(t *testing.T) {
	c := New(Config{Expressions: 3, AllResults: 10})
	for i := range 100 {
		p := c.Compile(fmt.Sprintf("%d >= 0", i%5))
		if matches, err := p.Match(t.Context(), model(fmt.Sprint(i))); !matches || err != nil {
			t.Fatalf("got %v, %v", matches, err)
		}
		var kept int64
		for p := range c.programs {
			kept += p.results.Load().size.Load()
		}
		if len(c.programs) > 3 || kept > 10 || kept == 0 || kept != c.results.Load() {
			t.Fatalf("%d programs keep %d results, counted as %d", len(c.programs), kept, c.results.Load())
		}
	}
}

// An evicted program stays usable, and its results are not counted forever.
func TestDroppedProgramsStayUsable(t *testing.T) {
	c := New(Config{Expressions: 1, AllResults: 4})
	dropped, kept := c.Compile("true"), c.Compile("1 == 1")
	for i := range 20 {
		for _, p := range []*Program{dropped, kept} {
			if matches, err := p.Match(t.Context(), model(fmt.Sprint(i))); !matches || err != nil {
				t.Errorf("got %v, %v", matches, err)
			}
		}
	}
	if n := c.results.Load(); n > 4 {
		t.Errorf("%d results are counted", n)
	}
	c.results.Store(3)
	before := kept.results.Load()
	if c.shrink(); kept.results.Load() != before {
		t.Error("there was room already, somebody else was faster")
	}
}

// For -race: all callers get the same answer.
func TestConcurrentMatches(t *testing.T) {
	c := New(Config{Expressions: 2, Results: 5})
	contents := make([]*inventory.Content, 10)
	for i := range contents {
		contents[i] = model(fmt.Sprint("m", i))
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 200 {
				wanted := (i + worker) % 3
				p := c.Compile(fmt.Sprintf(`%s == "m%d"`, attribute("model"), wanted))
				if matches, err := p.Match(t.Context(), contents[i%10]); matches != (i%10 == wanted) || err != nil {
					t.Errorf("got %v, %v", matches, err)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkMatchHit(b *testing.B) {
	p, content := New(Config{}).Compile(attribute("model")+` == "a100"`), model("a100")
	for i := range 1000 {
		if _, err := p.Match(b.Context(), model(fmt.Sprint(i))); err != nil {
			b.Fatal(err)
		}
	}
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if matches, err := p.Match(ctx, content); !matches || err != nil {
			b.Fatal(matches, err)
		}
	}
}

func BenchmarkMatchMiss(b *testing.B) {
	p := New(Config{}).Compile(attribute("model") + ` == "a100"`)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if matches, err := p.Match(ctx, model("a100")); !matches || err != nil {
			b.Fatal(matches, err)
		}
	}
}
